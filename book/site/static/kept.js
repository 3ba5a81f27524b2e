// What the book keeps in this browser, in the place [data-kept]: a list, save, load, forget.
(() => {
  "use strict";

  const KINDS = {
    guess: ["guess", "guesses"],
    switch: ["switch in the header", "switches in the header"],
    lab: ["state of a lab", "states of labs"],
    menace: ["MENACE of your own", "MENACEs of your own"],
    ladder: ["result against the learner", "results against the learner"],
    medal: ["medal of the arena", "medals of the arena"],
    read: ["list of chapters read", "lists of chapters read"]
  };

  const make = (tag, attributes, ...children) => {
    const element = Object.assign(document.createElement(tag), attributes);
    element.append(...children);
    return element;
  };

  function contents() {
    const names = bookStore.names();
    if (!names.length) return "Nothing is kept in this browser.";
    const parts = Object.entries(KINDS).flatMap(([kind, [one, more]]) => {
      const n = names.filter((name) => name.split(" ")[0] === kind).length;
      return n ? [`${n} ${n === 1 ? one : more}`] : [];
    });
    return `Kept in this browser: ${parts.join(", ")}.`;
  }

  function show(place) {
    const list = make("p", { role: "status" });
    const say = (text = "") => {
      list.textContent = `${text} ${contents()}`.trim();
    };
    const file = make("input", {
      type: "file",
      accept: ".json",
      hidden: true,
      onchange: async () => {
        const [chosen] = file.files;
        file.value = "";
        if (!chosen) return;
        try {
          const loaded = bookStore.imported(await chosen.text());
          say(`Loaded ${loaded} ${loaded === 1 ? "entry" : "entries"}.`);
        } catch (fault) {
          say(`${fault.message} Nothing has changed.`);
        }
      }
    });
    const save = () => {
      const url = URL.createObjectURL(new Blob([bookStore.exported()]));
      make("a", { href: url, download: "three-in-a-row.json" }).click();
      setTimeout(() => URL.revokeObjectURL(url));
    };
    const forget = () => {
      if (!confirm("Forget everything that the book has kept in this browser?")) return;
      bookStore.forget();
      say("Everything is forgotten.");
    };
    const button = (textContent, onclick) =>
      make("button", { type: "button", textContent, onclick });
    place.replaceChildren(
      list,
      make(
        "p",
        { className: "kept-line" },
        button("Save to a file", save),
        button("Load from a file", () => file.click()),
        button("Forget everything", forget)
      ),
      file
    );
    say(
      bookStore.lasts()
        ? ""
        : "This browser keeps nothing for this page: what you do here is gone when you close it."
    );
  }

  document.querySelectorAll("[data-kept]").forEach(show);
})();
