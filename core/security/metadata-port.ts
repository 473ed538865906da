/** Port of the address at which clouds hand out credentials of their machines. */
const METADATA = 80;

/** Whether a rule that opens these ports, of whatever machine, opens the metadata address of a cloud too. */
export const reachesMetadata = (ports: readonly number[]): boolean => ports.includes(METADATA);
