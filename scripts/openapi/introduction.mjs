/** First lines of the description, and its groups in the order in which people come to them. */
export const INTRODUCTION = `Multi-tenant platform for machine-learning operations on computer vision.

**Sign in.** Open \`POST /auth/cookie/login\` below, choose *Try it out*, and enter the e-mail address as \`username\` and
the password: this browser is signed in from then on. Programs take the \`access_token\` of \`POST /auth/jwt/login\` and
send it as \`Authorization: Bearer ...\`; here it is entered under *Authorize*.

**Choose a tenant.** \`GET /api/v1/tenants\` lists yours. Whatever belongs to a tenant needs its \`code\`: enter it once in
the field \`X-Tenant\` of an operation, this page then sends it with the calls that follow; programs send the header
\`X-Tenant\`, or \`?tenant=\` where no header can be sent.

**Refusals** have a \`code\`, a \`message\` that says what to do, and an \`error_id\` that stands in the server's log.`;

export const TAGS = [
  {
    name: 'accounts',
    description:
      "Sign in and out, one's own account and its sessions, tokens for the tracker and the registry, passwords; accounts of others for administrators",
  },
  {
    name: 'tenants',
    description: 'Which tenants one belongs to; for administrators: making, changing and deleting them',
  },
  { name: 'datasets', description: 'Datasets with their files, uploads, validation and samples' },
  {
    name: 'external-sources',
    description: 'Other systems that keep datasets: list, preview, link and copy them by syncs',
  },
  {
    name: 'training',
    description: 'What can be trained, and the experiments that do it: check, start, follow, cancel, retry',
  },
  {
    name: 'experiments',
    description:
      'Runs of the tracker with their parameters, metrics and artifacts; registering one as a model',
  },
  {
    name: 'models',
    description: 'The model registry: versions, stages and their history, comparison, comments, downloads',
  },
  {
    name: 'promotions',
    description: 'Requests to put a version into Production: checks, approval, rollback',
  },
  { name: 'images', description: 'Model versions packed with their server, ready to be served' },
  { name: 'serving', description: 'Endpoints that answer with predictions' },
  {
    name: 'edge',
    description:
      'Devices in the field: their tokens, status, policy and commands; and the calls that devices make themselves',
  },
  {
    name: 'deployments',
    description:
      'Versions of models on their way to devices: groups, what each device reports, pause, retry and rollback',
  },
  {
    name: 'notifications',
    description: "One's own feed, the stream of what is new, and who is notified by e-mail",
  },
  {
    name: 'system',
    description: 'For administrators: people and their roles, the audit trail; the health of the platform',
  },
];
