// The cell of Python that computes with the library what a lab has computed.

ttt.python = (() => {
  "use strict";

  // A schedule as an expression of the library.
  function schedule(text) {
    if (text === "1/n") return "schedules.one_over_n()";
    const [maker, ...numbers] = text.split(/[:,]/);
    return ["linear", "exponential", "power"].includes(maker)
      ? `schedules.${maker}(${numbers.join(", ")})`
      : (numbers.at(-1) ?? maker);
  }

  // The lines that make one learner and train it.
  function learner(texts, { row, side, agent }, games, name) {
    const policy = (who, of) =>
      of?.side ? `agents.policy(game, "${who}", ${of.side})` : `agents.opponent(game, "${who}")`;
    const options = [`alpha=${schedule(texts.alpha)}`];
    if (!row.is_prediction) options.push(`epsilon=${schedule(texts.epsilon)}`);
    options.push(`gamma=${texts.gamma}`);
    if (row.steps) options.push(`lambda_=${texts.lambda_}`, `n=${texts.n}`);
    const fromAgent = Number.isNaN(Number(texts.initial));
    if (texts.initial !== "0" && !fromAgent) options.push(`initial=${texts.initial}`);
    if (texts.rewards !== "1, 0, -1") options.push(`rewards=(${texts.rewards})`);
    const self = texts.opponent === "self";
    const train = [
      `game, ${name}, ${games}`,
      ...(self ? [] : [policy(texts.opponent, agent), `side=${side}`]),
      ...(row.is_prediction ? [`behaviour=${policy(texts.behaviour)}`] : [])
    ];
    return [
      `rng = experiments.mt19937(${texts.seed})  # the random numbers of the page`,
      `${name} = learning.new_learner(`,
      `    game, "${texts.method}", rng, ${options.join(", ")}`,
      ")._replace(rng=rng)",
      ...(fromAgent
        ? [
            `Q = np.vectorize(round)(agents.as_agent(game, "${texts.initial}").Q, 3)`,
            `${name} = ${name}._replace(Q=Q${row.name === "double_q_learning" ? ", Q1=Q.copy(), Q2=Q.copy()" : ""})`
          ]
        : []),
      `${name} = learning.train(${train.join(", ")})`
    ];
  }

  return { learner };
})();
