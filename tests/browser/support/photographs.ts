import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { realImages } from '../../builders/real-images.js';

const EACH = 40;
const WIDTH = 160;
const HEIGHT = 120;

/** Cuts of two photographs on this machine's disk, as a person has them. */
export interface Photographs {
  /** With a folder for each class. */
  readonly folder: string;
  /** A cut of each class that is not in the folder. */
  readonly heldBack: Readonly<Record<'flower' | 'temple', string>>;
}

/** @param name of the folder */
export async function photographs(name: string): Promise<Photographs> {
  const [china, flower] = (await realImages(1)).photographs;
  const root = mkdtempSync(join(tmpdir(), 'visionops-photographs-'));
  const folder = join(root, name);
  const heldBack = { flower: join(root, 'which-one.jpg'), temple: join(root, 'and-this.jpg') };
  for (const [label, photograph] of [['temple', china] as const, ['flower', flower] as const]) {
    mkdirSync(join(folder, label), { recursive: true });
    for (let number = 0; number <= EACH; number += 1) {
      const file = `${String(number).padStart(2, '0')}.jpg`;
      const path = number === EACH ? heldBack[label] : join(folder, label, file);
      writeFileSync(path, await cut(photograph?.bytes as Buffer, number));
    }
  }
  return { folder, heldBack };
}

/** Another part of the photograph for each number. */
async function cut(photograph: Buffer, number: number): Promise<Buffer> {
  const { width, height } = await sharp(photograph).metadata();
  const [across, down] = [width - WIDTH * 2, height - HEIGHT * 2];
  const left = Math.round((across * ((number * 7) % 20)) / 20);
  const top = Math.round((down * ((number * 3) % 10)) / 10) + (number % 3);
  return sharp(photograph)
    .extract({ left, top: Math.min(top, down), width: WIDTH * 2, height: HEIGHT * 2 })
    .resize(WIDTH, HEIGHT)
    .jpeg({ quality: 88 })
    .toBuffer();
}
