// DOM helpers: elements, buttons, selects, sliders.

ttt.elements = (() => {
  "use strict";

  function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value != null) element.setAttribute(name, value);
    }
    element.append(...children.filter((child) => child != null));
    return element;
  }

  function svg(tag, attributes = {}, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  // A decorative SVG of shapes [tag, attributes]; text beside it describes it.
  const drawing = (viewBox, ...shapes) =>
    svg(
      "svg",
      { viewBox, "aria-hidden": "true" },
      ...shapes.map(([tag, attributes]) => svg(tag, attributes))
    );

  const button = (text, onclick, more = {}) =>
    h("button", { type: "button", onclick, ...more }, text);

  // Not `disabled`, because a button that disables itself would lose the focus.
  const rest = (element, off) => element.setAttribute("aria-disabled", String(off));

  // Press the button of a key, unless a modifier is held or a text field has the focus.
  function pressByKey(event, buttons) {
    const pressed = buttons[event.key.toLowerCase()];
    const inField = event.target.matches("input[type=text], select, textarea");
    if (!pressed || inField || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (pressed.matches(".ttt-cell")) pressed.focus();
    pressed.click();
  }

  const hidden = (text) => h("span", { class: "ttt-hidden" }, text);

  // Live regions are read aloud when they are set, so set them only if the text changes.
  function put(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  // options: [value, text] or [group, [[value, text], …]]
  function select(label, options, onchange) {
    const make = ([value, text]) =>
      Array.isArray(text)
        ? h("optgroup", { label: value }, ...text.map(make))
        : h("option", { value }, text);
    const choice = h("select", { onchange: () => onchange(choice.value) }, ...options.map(make));
    return { label: h("label", {}, h("span", {}, label), choice), choice };
  }

  // Radio buttons, all visible. options: [value, text]
  let groups = 0;
  function chips(label, options, onchange) {
    const name = `ttt-chips-${groups++}`;
    const inputs = options.map(([value]) =>
      h("input", { type: "radio", name, value, onchange: () => onchange(value) })
    );
    return {
      group: h(
        "fieldset",
        { class: "ttt-chips" },
        h("legend", {}, label),
        ...options.map(([, text], n) => h("label", {}, inputs[n], h("span", {}, text)))
      ),
      choose: (value) =>
        inputs.forEach((input) => {
          input.checked = input.value === value;
        })
    };
  }

  function slider(label, attributes, oninput) {
    const value = h("output", {});
    const input = h("input", {
      type: "range",
      ...attributes,
      oninput: () => oninput(Number(input.value))
    });
    const line = h("label", { class: "ttt-slider" }, h("span", {}, label), input, value);
    return { line, input, value };
  }

  return { h, svg, drawing, button, rest, pressByKey, hidden, put, select, chips, slider };
})();
