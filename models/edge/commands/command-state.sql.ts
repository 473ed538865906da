/**
 * What the state of a command `c` is by now: rows are brought in line a little later. What was delivered in time may be
 * acknowledged for as long as its lease lasts.
 * @param clock `clock_timestamp()` where the transaction may have waited, as for a lock
 */
export const commandStateBy = (clock: 'now()' | 'clock_timestamp()'): string => `case
  when c.state = 'pending' or (c.state = 'delivered' and c.lease_until <= ${clock})
    then case when c.expires_at <= ${clock} then 'expired' else 'pending' end
  else c.state end`;
