/** A seeded source of 32-bit unsigned integers. */
export type Random = () => number;

/**
 * sfc32 (Chris Doty-Humphrey, PractRand), seeded by splitmix32: small, fast, and the same on every machine.
 * Two seeds give unrelated streams.
 */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const mix = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let t = state ^ (state >>> 16);
    t = Math.imul(t, 0x21f0aaad);
    t ^= t >>> 15;
    t = Math.imul(t, 0x735a2d97);
    return (t ^ (t >>> 15)) | 0;
  };
  let a = mix();
  let b = mix();
  let c = mix();
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return t >>> 0;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}

/** A uniform integer in [0, n), without modulo bias worth the name for n below 2^20 (multiply-shift on 32 bits). */
export function below(random: Random, n: number): number {
  return Math.floor((random() / 0x1_0000_0000) * n);
}

/** The numbers 0 to n - 1 in an order drawn by Fisher and Yates' shuffle. */
export function shuffledIndices(n: number, random: Random): Uint32Array {
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  for (let i = n - 1; i > 0; i--) {
    const j = below(random, i + 1);
    const held = order[i] as number;
    order[i] = order[j] as number;
    order[j] = held;
  }
  return order;
}
