import { readableSince } from '../tenants/retention.sql.js';

/** Joins the device `e` of a record `i`: of a device that was deleted nothing may be read any more. */
export const FROM_DEVICE = 'join edge_device e on e.tenant_id = i.tenant_id and e.number = i.device';

/** Since when records of the device `e` may be read by its own policy; null: its tenant's setting holds. */
export const OWN_SINCE = "now() - make_interval(days => (e.retention->>'inference_days')::int)";

/** A record `i` of the device `e` may be read by the setting in force. $1 tenant. */
export const IS_READABLE = `i.received_at >= coalesce(${OWN_SINCE}, ${readableSince('$1', 'inference')})`;
