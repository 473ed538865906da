import { CocoFile } from './coco-file';
import { type CocoAnswer, type CocoQuestion, type CocoSource, MAX_COCO_BYTES } from './coco-messages';

const scope = self as unknown as {
  postMessage(answer: CocoAnswer): void;
  onmessage: ((event: MessageEvent<CocoQuestion>) => void) | null;
};

/** By address, the one that was asked for last at the end. */
const held = new Map<string, { readonly bytes: number; readonly file: Promise<CocoFile> }>();

scope.onmessage = ({ data: { id, ...source } }) => {
  void fileOf(source).then(
    (file) => scope.postMessage({ id, outlines: file.outlinesOf(source.entry), error: null }),
    (error: unknown) => scope.postMessage({ id, outlines: [], error: String(error) }),
  );
};

function fileOf({ url, bytes }: CocoSource): Promise<CocoFile> {
  const known = held.get(url);
  held.delete(url);
  makeRoom(bytes);
  const kept = known ?? { bytes, file: load(url) };
  held.set(url, kept);
  return kept.file;
}

function makeRoom(bytes: number): void {
  let total = [...held.values()].reduce((sum, one) => sum + one.bytes, bytes);
  for (const [url, one] of held) {
    if (total <= MAX_COCO_BYTES) return;
    held.delete(url);
    total -= one.bytes;
  }
}

async function load(url: string): Promise<CocoFile> {
  try {
    const answer = await fetch(url, { credentials: 'same-origin' });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return new CocoFile(await answer.json());
  } catch (error) {
    // Whoever asks again tries again.
    held.delete(url);
    throw error;
  }
}
