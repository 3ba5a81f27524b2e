"""The labs of a page in Chromium, for the table of `bench.py`."""

from contextlib import contextmanager

from chromium import ARGUMENTS, found
from playwright.sync_api import Error, sync_playwright

from ttt_lib import board
from ttt_lib.board import encode

# kind of lab → its settings on a page
SETUPS = {
    lab.kind: lab("A lab")._stored()
    for lab in vars(board).values()
    if getattr(lab, "kind", None)
    in encode.LABS  # not CustomLearnerLab, which needs Python
}
BEGIN = """async (shared) => {
  const game = await ttt.agents.shared(shared), { learning, mt19937 } = ttt;
  const method = ttt.METHODS.find(({ name }) => name === 'q_learning');
  const read = (text) => ttt.schedules.read(text);
  window.play = (opponent, games) => {
    const settings = { alpha: read('0.1'), epsilon: read('0.1'), gamma: 1, initial: 0,
      lambda_: 0, n: 9, rewards: [1, 0, -1] };
    const learner = learning.newLearner(game, method, mt19937.mt19937(1), settings);
    const record = learning.newRecord(game), whom = game.policies[opponent] ?? null;
    learning.train(game, learner, games, whom, 0, null, record);
    window.learner = learner;
    return learner.table[0];
  };
  ttt.agents.registry.packed = shared;
  ttt.agents.registry.game = game;
  const lab = async (setup) => {
    const place = document.createElement('div');
    document.body.replaceChildren(place);
    const made = new ttt.lab.Lab(place, setup);
    await made.start();
    return made;
  };
  const frame = () => new Promise((done) =>
    requestAnimationFrame(() => setTimeout(done)));
  window.picture = (setup) => lab(setup).then(frame);
  // The longest task in seconds while a lab opens with all its folds, plays to its end
  // or for two seconds, and does three steps.
  window.longest = async (setup) => {
    const { port1, port2 } = new MessageChannel();
    let most = 0, before = performance.now();
    port2.onmessage = () => {
      const now = performance.now();
      most = Math.max(most, now - before);
      before = now;
      port1.postMessage(0);
    };
    port1.postMessage(0);
    const one = await lab(setup);
    for (const fold of one.element.querySelectorAll('details')) fold.open = true;
    await frame();
    one.pace = '0';
    const end = setTimeout(() => { one.playing = false; }, 2000);
    await one.play();
    clearTimeout(end);
    for (let steps = 0; steps < 3; steps++) await one.step().then(frame);
    port2.close();
    return most / 1000;
  };
  window.score = (times) => {
    for (; times > 1; times--) score(1);
    return ttt.evaluation.scores(game, learning.greedyPolicy(game, learner), 0);
  };
}"""


@contextmanager
def opened():
    """Yield a blank page with the engine of the labs, None if there is no browser."""
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(
                executable_path=found(windows=False), args=ARGUMENTS
            )
        except Error:
            yield None
            return
        tab = browser.new_page()
        tab.add_script_tag(content=encode.script())
        tab.add_script_tag(content=encode.common() + "".join(map(encode.lab, SETUPS)))
        tab.add_style_tag(content=encode.styles() + encode.file("labs.css"))
        tab.evaluate(BEGIN, encode.shared())
        yield tab
        browser.close()
