import { LOG_TABLES, type LogRef } from './log-ref.js';

/** $1 owner, $2 part, $3 and $4 bytes of the log, $5 where reading goes on, $6 hash, $7 object, $8 tenant. */
export function insertSegment(owner: LogRef['owner']): string {
  const { segments, id, part } = LOG_TABLES[owner];
  return `
    -- set: unless there is one; what somebody else sealed first does not break the transaction
    insert into ${segments}
      (${id}, ${part}, from_byte, to_byte, source_end, sha256, size_bytes, object_key, tenant_id)
    values ($1, $2, $3, $4, $5, $6, $4::bigint - $3::bigint, $7, $8) on conflict do nothing`;
}

/** $1 owner, $2 part, $3 and $4 bytes of the log, $5 tenant. */
export function deleteSealedChunks(owner: LogRef['owner']): string {
  const { chunks, id, part } = LOG_TABLES[owner];
  return `
    -- bulk: all rows of a segment
    delete from ${chunks}
    where ${id} = $1 and ${part} = $2 and from_byte >= $3 and from_byte < $4 and tenant_id = $5`;
}

/** $1 tenant, $2 owner. Answers the keys of their objects. */
export function deleteSegments(owner: LogRef['owner']): string {
  const { segments, id } = LOG_TABLES[owner];
  return `
    -- set: the segments of all its logs
    delete from ${segments} where tenant_id = $1 and ${id} = $2 returning object_key as key`;
}

/** $1 tenant, $2 owner, $3 part, $4 a byte of the log. Answers the keys of their objects. */
export function deleteSegmentsBefore(owner: LogRef['owner']): string {
  const { part } = LOG_TABLES[owner];
  return deleteSegments(owner).replace(' returning', ` and ${part} = $3 and to_byte <= $4 returning`);
}
