// Until the library had a page for each room, its names stood on this one: an address such as
// #ttt_lib.game.tables leads on, to where the link to the name's module leads.
{
  const name = location.hash.slice(1).replace(/^module-/, "");
  const room = [...document.querySelectorAll("main a[href*='#module-']")].find((link) =>
    `${name}.`.startsWith(`${link.hash.replace("#module-", "")}.`)
  );
  if (room) location.replace(new URL(location.hash, room));
}
