import { body } from '../../api/client';
import type { Tenant } from '../../app/session';
import { text } from '../../text';

const MOST_BYTES = 32 * 2 ** 20;
const SENDABLE = ['image/png', 'image/jpeg'];

/** A picture that somebody chose. */
export interface Picture {
  readonly name: string;
  readonly bytes: Blob;
  /** Label that its dataset gives it. */
  readonly truth: string | null;
}

/** What the model answered, and how long that took from here. */
export interface Answer {
  readonly raw: unknown;
  readonly ms: number;
}

/** @throws ApiError, and Error for what is no picture */
export async function askModel(tenant: Tenant, endpoint: string, picture: Picture): Promise<Answer> {
  const bytes = await sendable(picture.bytes);
  if (bytes.size > MOST_BYTES) throw new Error(text.serving.try.tooLarge);
  const began = performance.now();
  const raw: unknown = await body(
    tenant.api.POST('/api/v1/serving/endpoints/{name}/proxy/{path}', {
      params: { path: { name: endpoint, path: 'invocations' } },
      headers: { 'Content-Type': bytes.type },
      body: bytes as never,
      bodySerializer: (raw: unknown) => raw as Blob,
    }),
  );
  return { raw, ms: performance.now() - began };
}

/** The bytes themselves where the server reads them, otherwise the picture as PNG. */
async function sendable(bytes: Blob): Promise<Blob> {
  if (SENDABLE.includes(bytes.type)) return bytes;
  const picture = await createImageBitmap(bytes).catch(() => {
    throw new Error(text.serving.try.unreadable);
  });
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  canvas.getContext('2d')?.drawImage(picture, 0, 0);
  picture.close();
  return canvas.convertToBlob({ type: 'image/png' });
}
