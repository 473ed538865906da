import { describeTenantsApart } from './tenants-apart.contract.js';

describeTenantsApart('both');
