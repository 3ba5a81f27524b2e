// Redirect old links: the reference was one page, so that #ttt_lib.game.tables was an address on it.
// Now each section has a page, to which the link to the name's module leads.
{
  const name = location.hash.slice(1).replace(/^module-/, "");
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("main a[href*='#module-']");
  const section = [...links].find(({ hash }) =>
    `${name}.`.startsWith(`${hash.replace("#module-", "")}.`)
  );
  if (section) location.replace(new URL(location.hash, section.href));
}
