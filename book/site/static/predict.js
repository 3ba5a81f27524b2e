// Guesses: before a fold of the class `predict` there is a form for a guess. Then the fold opens, and the
// guess is shown next to the answer. Guesses stay in this browser (`store.js`).
//
//   <details class="predict" data-low="0" data-high="1" data-answer="0.585">   a number on a line
//   <details class="predict" data-board="X.O/.../..." data-answer="4">         a cell of a board
//
// Within one cell it is written as `:::{dropdown}`, with `:low: 0` and so on: see dropdown_folds.py.
(() => {
  const UNSEEN = "See without a guess";
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const written = (x) =>
    Number(x).toLocaleString("en-GB", { maximumFractionDigits: 3 }).replace("-", "−");

  // The question: a number from low to high, or a cell of a board.
  /** @typedef {{low?: number, high?: number, board?: string, answer?: string}} Question */

  // A form for a number: {element, read() → a number or null, focus()}.
  /** @param {Question} question */
  function number({ low, high }) {
    const step = high - low > 20 ? 1 : "any";
    const field = make("input", {
      type: "number",
      min: low,
      max: high,
      step,
      inputmode: "decimal",
      required: "",
      "aria-label": `Your guess, from ${written(low)} to ${written(high)}`
    });
    return { element: field, read: () => (field.value === "" ? null : Number(field.value)) };
  }

  // A form for a cell: a radio button for each free cell of a board.
  /** @param {Question} question @param {string} name */
  function cell({ board }, name) {
    const signs = [...board.replaceAll("/", "")];
    const cells = signs.map((sign, n) =>
      sign === "."
        ? make(
            "label",
            {},
            make("input", {
              type: "radio",
              name,
              value: n,
              required: "",
              "aria-label": `Cell ${n}`
            }),
            make("span", {}, n)
          )
        : make("span", { class: `predict-${sign}` }, sign)
    );
    const element = make(
      "span",
      { class: "predict-board", role: "radiogroup", "aria-label": "Your guess" },
      ...cells
    );
    const read = () => {
      const chosen = element.querySelector("input:checked");
      return chosen && Number(chosen.value);
    };
    return { element, read };
  }

  // The guess and the answer, as a sentence and on a scale.
  /** @param {number} guess @param {Question} question */
  function compare(guess, { low, high, answer, board }) {
    const right = board ? answer.split(" ").map(Number).includes(guess) : guess === Number(answer);
    const truth = board
      ? `${answer.includes(" ") ? "one of the cells" : "cell"} ${answer.replaceAll(" ", ", ")}`
      : written(answer);
    const guessText = board ? `cell ${guess}` : written(guess);
    const words = make(
      "p",
      {},
      right ? `You said ${guessText}, which is right.` : `You said ${guessText}. It is ${truth}.`
    );
    if (board) return [words];
    const place = (value) =>
      `left: ${100 * Math.min(1, Math.max(0, (value - low) / (high - low)))}%`;
    const dot = (value, kind, text) =>
      make("span", { class: `predict-${kind}`, style: place(value) }, make("b", {}, text));
    return [
      words,
      make(
        "div",
        { class: "predict-line", "aria-hidden": "true" },
        dot(answer, "answer", written(answer)),
        dot(guess, "guess", `you ${written(guess)}`),
        make("small", {}, written(low)),
        make("small", {}, written(high))
      )
    ];
  }

  /** @type {NodeListOf<HTMLDetailsElement>} */
  const folds = document.querySelectorAll("details.predict");
  folds.forEach((fold, n) => {
    const { dataset } = fold,
      key = `guess ${bookStore.page} ${n}`,
      summary = fold.querySelector("summary");
    /** @type {Question} */
    const question = dataset.board
      ? { board: dataset.board }
      : { low: Number(dataset.low), high: Number(dataset.high) };
    const guess = question.board ? cell(question, key) : number(question);
    const feedback = make("div", { class: "predict-told", role: "status" }),
      see = make("button", { type: "submit" }, "See");
    const form = make(
      "form",
      { class: "predict-form" },
      make("span", {}, "Your guess"),
      guess.element,
      see
    );
    const again = make("button", { type: "button" }, "Guess again");
    const show = (value) => {
      feedback.replaceChildren(...compare(value, { ...question, answer: dataset.answer }), again);
      form.hidden = true;
      fold.classList.add("answered");
      fold.open = true;
      summary.textContent = "The answer";
    };
    // Enter clicks the button, too. A sandboxed frame sends no submit event, so do not wait for one.
    see.addEventListener("click", (event) => {
      event.preventDefault();
      if (!form.reportValidity()) return;
      show(guess.read());
      bookStore.set(key, guess.read());
    });
    again.addEventListener("click", () => {
      bookStore.remove(key);
      feedback.replaceChildren();
      fold.classList.remove("answered");
      form.hidden = fold.open = false;
      summary.textContent = UNSEEN;
      form.querySelector("input").focus();
    });
    fold.before(form, feedback);
    summary.textContent = UNSEEN;
    const before = bookStore.get(key);
    if (typeof before === "number") show(before);
  });
})();
