/** One example for each schema that operations take as their body; they follow one story, that of the guides. */
const ACCOUNT = { email: 'ada@example.org', password: 'a long enough 1 phrase' };
const LOGIN = { username: 'admin@visionops.local', password: 'the one that the first start showed' };
const MEMBER = { email: ACCOUNT.email, tenant_code: 'demo', role: 'ML_ENGINEER' };

export const EXAMPLES = {
  AccessTokenCreate: {
    kind: 'tracker',
    tenant_code: 'demo',
    name: 'laptop',
    read_only: true,
    expires_in_days: 30,
  },
  CommandAck: { status: 'succeeded', result: { took_s: 4 } },
  CommandCreate: { type: 'collect-logs', args: { lines: 500 }, expires_in_s: 3600 },
  CommentCreate: { body: 'Confuses ones and sevens less than version 1.' },
  CreateEndpointBody: {
    name: 'digits-forest',
    image_id: '3f0e8f0a-6c1d-4a55-9d0e-0f6a1a4f7c21',
    replicas: 1,
  },
  CreateUserBody: { ...ACCOUNT, tenant_code: MEMBER.tenant_code, role: MEMBER.role },
  DatasetCreate: { id: 'shades', name: 'Shades' },
  DeploymentCreate: {
    model_name: 'digits-forest',
    version: 2,
    targets: { location: 'Hall 3' },
    strategy: 'canary',
  },
  DatasetUpdate: { name: 'Shades of grey' },
  DatasetUploadInit: { filename: 'dark/0.png', size: 77 },
  DeploymentCreate: { model_name: 'digits-forest', version: 2, targets: { location: 'Hall 3' }, strategy: 'canary' },
  DeviceCreate: { id: 'line-3-camera', location: 'Hall 3' },
  DeviceUpdate: { location: 'Hall 4' },
  DraftCreate: { name: 'Shades' },
  EmailBody: { email: ACCOUNT.email },
  ExperimentConfig: {
    task: 'classification',
    framework: 'sklearn',
    model: 'random-forest',
    dataset_id: 'digits-sample',
    gpu: 0,
    register_model: true,
    register_model_name: 'digits-forest',
  },
  ExperimentCreate: { name: 'baselines', project: 'digits' },
  ExperimentRetry: { resume: true },
  ExportConfig: { formats: ['onnx'] },
  FromExternalCreate: { source_id: 'archive', remote_dataset_id: 'cats', sync_now: true },
  HeartbeatBody: {
    cpu: 12.5,
    mem: 41,
    disk: 70,
    payload: { containers: [{ name: 'digits-forest', image: 'digits-forest:2', status: 'running' }] },
  },
  InferenceBatch: {
    records: [
      {
        model_name: 'digits-forest',
        version: 2,
        prediction_id: 'p-1',
        latency_ms: 12,
        confidence: 0.93,
        result: { label: '7' },
      },
    ],
  },
  InviteBody: MEMBER,
  LoginForm: LOGIN,
  OfflineUpdate: { blocked: true },
  PasswordChange: { current_password: LOGIN.password, new_password: ACCOUNT.password },
  PolicyUpdate: { heartbeat_interval_s: 10, retention: { telemetry_days: 7 } },
  PreferencesBody: { prefs: { training: { in_app: true, email: true } } },
  PromoteRequest: {
    to_version: 2,
    reason: 'Better on sevens.',
    rollback_conditions: [{ metric: 'accuracy', op: '<', value: 0.9, for: '1h' }],
  },
  PromotionDecisionBody: { comment: 'Looked at the confusion matrix.' },
  PresetCreate: {
    name: 'Forest of digits',
    description: 'What has worked for scans of digits.',
    config: {
      task: 'classification',
      framework: 'sklearn',
      model: 'random-forest',
      hyperparameters: 'trees: 300',
    },
  },
  ProfileUpdate: { full_name: 'Ada Lovelace' },
  RegisterBody: { os: 'linux arm64', sdk_version: '0.1.0' },
  RegisterRequest: { model_name: 'digits-forest' },
  ResetPasswordBody: { token: 'the token of the mail', password: ACCOUNT.password },
  RoleAssign: { tenant_code: MEMBER.tenant_code, role: MEMBER.role },
  ScopesUpdate: { scopes: ['telemetry:write', 'models:read'] },
  SourceCreate: { name: 'Archive', base_url: 'https://datasets.example.org', token: 'a-secret' },
  SourceLink: { source_id: 'archive', remote_dataset_id: 'cats', interval_s: 86_400 },
  SourceUpdate: { enabled: false },
  StageChange: { stage: 'Staging' },
  TelemetryBatch: {
    records: [{ kind: 'temperature', ts: '2026-11-25T10:00:00Z', data: { celsius: 41.5 } }],
  },
  TenantCreate: { code: 'acme', name: 'Acme' },
  TenantDeleteRequest: { confirm_code: 'acme' },
  TenantUpdate: { retention: { logs: 30, audit: 365, uploads: 7 } },
  UpdateEndpointBody: { replicas: 2 },
  UploadInit: { filename: 'unsure/2026-11-25-1.png', size: 77, kind: 'image', meta: { confidence: 0.31 } },
  UserCreate: { ...ACCOUNT, full_name: 'Ada Lovelace' },
  UserUpdate: { full_name: 'Ada Lovelace', is_verified: true },
  VerifyBody: { token: 'the token of the mail' },
};

const INVOCATION = {
  inputs: ['iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='],
};

/** Bodies that are bytes: what stands in the place of a file. */
const BYTES = {
  'multipart/form-data': { file: 'the bytes of cats/1.png' },
  'application/octet-stream': 'the bytes of the chunk',
  'image/png': 'the bytes of a PNG image',
  'image/jpeg': 'the bytes of a JPEG image',
};

/** Gives each body its example. @throws Error naming a body without one, and examples of no body */
export function addExamples(spec) {
  const unused = new Set(Object.keys(EXAMPLES));
  for (const item of Object.values(spec.paths))
    for (const { operationId, requestBody } of Object.values(item))
      for (const [type, content] of Object.entries(requestBody?.content ?? {})) {
        if (type in BYTES) {
          content.example = BYTES[type];
          continue;
        }
        const name = content.schema.$ref?.split('/').pop();
        const example = name === undefined ? INVOCATION : EXAMPLES[name];
        if (example === undefined)
          throw new Error(`${operationId}: give ${name} an example in scripts/openapi/body-examples.mjs`);
        content.example = example;
        unused.delete(name);
      }
  if (unused.size > 0) throw new Error(`examples of no body: ${[...unused].join(', ')}`);
}
