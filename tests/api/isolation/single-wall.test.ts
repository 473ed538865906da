import { describeTenantsApart } from './tenants-apart.contract.js';

// Either wall is taken away in turn: the entity manager's filter, or row-level security by a role that bypasses it.
describeTenantsApart('row-level security alone');
describeTenantsApart('filter alone');
