/** Where workloads run as processes: a machine, and the directory that remembers them. */
export interface WorkloadPlace {
  readonly host: string;
  /** Marks the directory itself, so that it is known again under another name or on another host. */
  readonly storeId: string;
  readonly dataDir: string;
}

export interface HeldPlace extends WorkloadPlace {
  /** Seconds since its worker was last seen, by the database's clock. */
  readonly ageS: number;
}

/** Six missed signs of life. */
export const HOLDER_ALIVE_S = 30;

/**
 * Whether a worker may look after the workloads of an installation. Processes live on one machine and outlive
 * their worker, so a silent holder is followed only by who has its directory, or by its own machine with a
 * new one.
 */
export function mayHold(mine: WorkloadPlace, held: HeldPlace | null): boolean {
  if (held === null) return true;
  const [isSameHost, isSameStore] = [held.host === mine.host, held.storeId === mine.storeId];
  if (isSameHost && isSameStore) return true;
  return held.ageS > HOLDER_ALIVE_S && (isSameHost || isSameStore);
}

/** Whether waiting can help: a holder that stays silent will be followed. */
export const mayHoldLater = (mine: WorkloadPlace, held: HeldPlace): boolean =>
  mayHold(mine, { ...held, ageS: Number.POSITIVE_INFINITY });

/** For the operator, in one line. */
export const refusalOf = (mine: WorkloadPlace, held: HeldPlace): string =>
  `The workloads of this installation run as processes on host ${held.host} (data directory ${held.dataDir}, its worker was seen ${Math.round(held.ageS)} s ago), so no worker may run on host ${mine.host} with ${mine.dataDir}: ` +
  'start it there, or, if that machine and its processes are gone for good, run this in the database and start again: delete from workload_host';
