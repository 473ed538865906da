import type { Readable } from 'node:stream';

/** The same stream, which breaks off with the error that `translate` makes of its own; a second stream behind it would copy every byte. */
export function translatedStream<S extends Readable>(stream: S, translate: (error: unknown) => unknown): S {
  const destroy = stream.destroy.bind(stream);
  stream.destroy = (error?: Error) => destroy(error && (translate(error) as Error));
  return stream;
}
