import { p } from '@mikro-orm/core';

/** Columns of a piece of a log beside those that name the log, which stand before them in the key. */
const place = () => ({
  /** Where its text begins in the whole log, in bytes of UTF-8. */
  fromByte: p.bigint('number').primary(),
  toByte: p.bigint('number'),
  /** Where reading the workload's own log goes on; differs from `toByte` where bytes were no text. */
  sourceEnd: p.bigint('number'),
  tenantId: p.uuid(),
  /** When its last bytes came. */
  createdAt: p.datetime().defaultRaw('now()'),
});

/** A piece of about 64 KiB; the last one of a log still grows. */
export const chunkColumns = () => ({ ...place(), text: p.text() });

/** A piece that has moved from rows into the object store. All segments of a log come before its rows. */
export const segmentColumns = () => ({
  ...place(),
  sha256: p.text(),
  sizeBytes: p.bigint('number'),
  objectKey: p.text(),
});
