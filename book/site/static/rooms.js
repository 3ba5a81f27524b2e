// Until the library had a page for each room, its names stood on this one: an address such as
// #ttt_lib.game.tables leads on, to where the link to the name's module leads.
{
  const name = location.hash.slice(1).replace(/^module-/, "");
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("main a[href*='#module-']");
  const room = [...links].find(({ hash }) =>
    `${name}.`.startsWith(`${hash.replace("#module-", "")}.`)
  );
  if (room) location.replace(new URL(location.hash, room.href));
}
