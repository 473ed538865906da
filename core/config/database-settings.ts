import { doc, int, url } from './setting.js';

const login = (role: string) =>
  doc(url, { text: `PostgreSQL as role ${role}`, secret: true, requiredInProduction: true });

/** As its owner, who migrates: a variable of commands, which no serving process is given. */
export const OWNER_ADDRESS = 'DATABASE_OWNER_URL';

/** Where the database is. `models/orm/database-options.ts` lists what connects there. */
export const databaseAddresses = {
  DATABASE_URL: login('visionops_app'),
  DATABASE_PLATFORM_URL: login('visionops_platform'),
  DATABASE_AUTH_URL: login('visionops_auth'),
  DATABASE_INGEST_URL: login('visionops_ingest'),
  DATABASE_DIRECT_URL: doc(url.optional(), {
    text: 'PostgreSQL as role visionops_app past a connection pooler, for what needs a session: LISTEN, locks, ending a statement; needed where the addresses above lead to a pooler in transaction mode',
    secret: true,
  }),
};

export const databasePools = {
  SERVICE_DB_POOL: doc(int(2, 200).default(10), { text: 'connections of the tenant pool of one process' }),
  SERVICE_DB_PLATFORM_POOL: doc(int(2, 200).default(4), {
    text: 'connections of the platform pool of one process',
  }),
  SERVICE_DB_AUTH_POOL: doc(int(2, 200).default(6), {
    text: 'connections of one API process as the role that signs people in',
  }),
  SERVICE_DB_INGEST_POOL: doc(int(1, 200).default(2), {
    text: 'connections of one API process that store what devices send, each a group of rows at a time',
  }),
  SERVICE_DB_DIRECT_POOL: doc(int(1, 20).default(2), {
    text: 'connections of one process that end statements nobody waits for any more; taken when needed',
  }),
};
