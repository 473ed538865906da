import { startLane } from './global.js';

/** As every lane, with PgBouncer in transaction mode between the platform and PostgreSQL. */
export default (): Promise<void> => startLane({ isPooled: true });
