// Until the library had a page for each room, its names stood on this one: an address such as
// #ttt_lib.game.tables leads on to the page that a link here names, the longest name that fits.
{
  const name = location.hash.slice(1).replace(/^module-/, "");
  const room = [...document.querySelectorAll("main a[href*='#module-']")]
    .filter((link) => `${name}.`.startsWith(`${link.hash.replace("#module-", "")}.`))
    .sort((one, other) => other.hash.length - one.hash.length)[0];
  if (room) location.replace(new URL(location.hash, room));
}
