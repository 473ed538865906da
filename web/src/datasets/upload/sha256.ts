const K = /* @__PURE__ */ roundConstants();
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const;

/**
 * SHA-256 of bytes that come in pieces. The browser's own function wants all bytes at once, which a large file is not, and is
 * missing where the page came without TLS.
 */
export class Sha256 {
  private readonly state = Uint32Array.from(START);
  private readonly words = new Uint32Array(64);
  private readonly block = new Uint8Array(64);
  private filled = 0;
  private length = 0;

  update(bytes: Uint8Array): this {
    this.length += bytes.length;
    let at = 0;
    if (this.filled > 0) {
      at = Math.min(64 - this.filled, bytes.length);
      this.block.set(bytes.subarray(0, at), this.filled);
      this.filled += at;
      if (this.filled < 64) return this;
      this.mix(this.block, 0);
      this.filled = 0;
    }
    for (; at + 64 <= bytes.length; at += 64) this.mix(bytes, at);
    this.block.set(bytes.subarray(at), 0);
    this.filled = bytes.length - at;
    return this;
  }

  /** As 64 lower-case hexadecimal digits; nothing can be added afterwards. */
  hex(): string {
    const bits = this.length * 8;
    this.block[this.filled++] = 0x80;
    if (this.filled > 56) {
      this.block.fill(0, this.filled);
      this.mix(this.block, 0);
      this.filled = 0;
    }
    this.block.fill(0, this.filled);
    const view = new DataView(this.block.buffer);
    view.setUint32(56, Math.floor(bits / 2 ** 32));
    view.setUint32(60, bits >>> 0);
    this.mix(this.block, 0);
    return [...this.state].map((word) => word.toString(16).padStart(8, '0')).join('');
  }

  private mix(bytes: Uint8Array, at: number): void {
    const { state, words } = this;
    for (let i = 0; i < 16; i++) {
      const from = at + i * 4;
      words[i] =
        (byte(bytes, from) << 24) |
        (byte(bytes, from + 1) << 16) |
        (byte(bytes, from + 2) << 8) |
        byte(bytes, from + 3);
    }
    for (let i = 16; i < 64; i++) {
      const a = word(words, i - 15);
      const b = word(words, i - 2);
      const s0 = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
      const s1 = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
      words[i] = word(words, i - 16) + s0 + word(words, i - 7) + s1;
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let i = 0; i < 64; i++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + word(K, i) + word(words, i)) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + one) | 0;
      d = c;
      c = b;
      b = a;
      a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => {
      state[i] = word(state, i) + value;
    });
  }
}

const byte = (bytes: Uint8Array, at: number): number => bytes[at] as number;
const word = (words: Uint32Array, at: number): number => words[at] as number;
const turn = (value: number, by: number): number => (value >>> by) | (value << (32 - by));

/** The first 32 bits of the fractions of the cube roots of the first 64 primes. */
function roundConstants(): Uint32Array {
  const found: number[] = [];
  for (let n = 2; found.length < 64; n++) if (isPrime(n)) found.push(cubeRootBits(BigInt(n)));
  return Uint32Array.from(found);
}

function isPrime(n: number): boolean {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return true;
}

/** Exact, since the last bits of a floating cube root are not the same on every machine. */
function cubeRootBits(n: bigint): number {
  const scaled = n << 96n;
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** 3n <= scaled) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}
