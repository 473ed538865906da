import type { ImageCheck } from '../../core/ports/image-decoder.js';

/** What a decoder process is asked, one at a time. */
export type DecoderRequest =
  | { readonly kind: 'check'; readonly bytes: Buffer }
  | { readonly kind: 'preview'; readonly bytes: Buffer; readonly maxSide: number };

/** `heavy`: the process waits for a `go` before it decodes, because the image costs much memory. */
export type DecoderReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'heavy' }
  | { readonly kind: 'checked'; readonly check: ImageCheck }
  | { readonly kind: 'preview'; readonly bytes: Buffer }
  | { readonly kind: 'refused'; readonly problem: string };

/** What the holder of a decoder process says to it. */
export type DecoderOrder = DecoderRequest | { readonly kind: 'go' };
