// Random numbers: the Mersenne Twister of Matsumoto and Nishimura (1998).
// `experiments.mt19937(seed)` in Python gives bit-identical numbers.

ttt.mt19937 = (() => {
  "use strict";

  const N = 624,
    M = 397,
    MAX_SEED = 2 ** 32 - 1;
  const bits = (high, low) => {
    const y = (high & 0x80000000) | (low & 0x7fffffff);
    return (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
  };

  // The generator for a seed, a whole number from 0 to MAX_SEED.
  function mt19937(seed) {
    const key = new Uint32Array(N);
    key[0] = seed;
    for (let i = 1; i < N; i++)
      key[i] = Math.imul(1812433253, key[i - 1] ^ (key[i - 1] >>> 30)) + i;
    let position = N;

    function twist() {
      let i = 0;
      for (; i < N - M; i++) key[i] = key[i + M] ^ bits(key[i], key[i + 1]);
      for (; i < N - 1; i++) key[i] = key[i + M - N] ^ bits(key[i], key[i + 1]);
      key[N - 1] = key[M - 1] ^ bits(key[N - 1], key[0]);
      position = 0;
    }

    // A random integer of 32 bits.
    function next() {
      if (position === N) twist();
      let y = key[position++];
      y ^= y >>> 11;
      y ^= (y << 7) & 0x9d2c5680;
      y ^= (y << 15) & 0xefc60000;
      return y ^ (y >>> 18);
    }

    // A random number in [0, 1) with 53 bits, from two draws.
    const random = () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
    return { random };
  }

  return { mt19937, MAX_SEED };
})();
