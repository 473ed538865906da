import { doc, int, url } from './setting.js';

const login = (role: string) =>
  doc(url, { text: `PostgreSQL as role ${role}`, secret: true, requiredInProduction: true });

/** Where the database is. */
export const databaseAddresses = {
  DATABASE_URL: login('visionops_app'),
  DATABASE_PLATFORM_URL: login('visionops_platform'),
  DATABASE_INGEST_URL: login('visionops_ingest'),
};

export const databasePools = {
  SERVICE_DB_POOL: doc(int(2, 200).default(10), { text: 'connections of the tenant pool of one process' }),
};
