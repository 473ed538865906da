import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { checkFilePath } from '../../models/datasets/files/file-path.rules.js';
import { NOTIFICATION_GROUPS } from '../../models/notifications/notification-catalog.rules.js';
import { artifactPathProblem } from '../../models/tracker/artifact-path.rules.js';
import { readOutboundUrl } from '../../core/security/outbound-url.js';

// biome-ignore lint/suspicious/noExplicitAny: of any shape; each test says what it expects of it
const document = JSON.parse(readFileSync('api/generated/openapi.json', 'utf8')) as any;
const { schemas } = document.components;
const operations = Object.values(document.paths).flatMap((item) => Object.values(item as object));
const operation = (id: string) => operations.find((each) => each.operationId === id);
interface Form {
  readonly additionalProperties?: boolean;
  readonly description?: string;
}
interface Body {
  readonly schema: { readonly $ref?: string };
  readonly example?: object;
}

const isNamed = (name: string) => (each: { name: string }) => each.name === name;
const query = (id: string, name: string) => operation(id).parameters.find(isNamed(name)).schema;
const matches = ({ pattern }: { pattern: string }, text: string) => new RegExp(pattern, 'u').test(text);

describe('the description states', () => {
  it('what a reader needs first, and groups in the order of the work, each with a description', () => {
    const firstLines = document.info.description.split('\n').slice(2, 8).join(' ');
    expect(firstLines).toMatch(/POST \/auth\/cookie\/login.*GET \/api\/v1\/tenants/);
    const groups = document.tags.map(({ name }: { name: string }) => name);
    expect(groups.slice(0, 5)).toEqual(['accounts', 'tenants', 'datasets', 'external-sources', 'training']);
    const lengths = document.tags.map(({ description }: { description: string }) => description.length);
    expect(Math.min(...lengths)).toBeGreaterThan(20);
    expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(groups));
  });

  it('an example for each body, whose fields are those of the schema and which has the required ones', () => {
    const bodies = operations.flatMap(({ requestBody }) => Object.entries<Body>(requestBody?.content ?? {}));
    expect(bodies.length).toBeGreaterThan(35);
    for (const [, { schema, example }] of bodies) {
      expect(Object.keys(example ?? {})).not.toHaveLength(0);
      if (schema.$ref === undefined) continue;
      const { properties, required = [] } = schemas[schema.$ref.split('/').at(-1) as string];
      expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(example ?? {})));
      expect(Object.keys(example ?? {})).toEqual(expect.arrayContaining(required));
    }
  });

  it('the groups of notifications that preferences may name, and no others', () => {
    const { properties, additionalProperties } = schemas.PreferencesBody.properties.prefs;
    expect(Object.keys(properties)).toEqual(NOTIFICATION_GROUPS.map(({ key }) => key));
    expect(additionalProperties).toBe(false);
  });

  it('of no body both that it is closed and that it drops unknown keys', () => {
    const closed = Object.entries<Form>(schemas).filter(
      ([, { additionalProperties }]) => additionalProperties === false,
    );
    expect(closed.map(([name]) => name)).toContain('DeploymentCreate');
    const dropping = closed.filter(([, { description = '' }]) => description.includes('keys are dropped'));
    expect(dropping.map(([name]) => name)).toEqual([]);
  });

  it('that a sign-in needs both fields, and a form of a file takes nothing else', () => {
    const { username, password, grant_type } = schemas.LoginForm.properties;
    expect([username.minLength, password.minLength, grant_type.enum]).toEqual([1, 1, ['', 'password']]);
    const forms = operations.flatMap(({ requestBody }) => requestBody?.content['multipart/form-data'] ?? []);
    expect(forms.map(({ schema }) => [Object.keys(schema.properties), schema.additionalProperties])).toEqual([
      [['file'], false],
      [['file'], false],
    ]);
  });

  it('the form of times, the text of the audit trail and of hyperparameters', () => {
    expect(query('ExternalSources_ListRemote', 'updated_after').format).toBe('date-time');
    expect(operation('Audit_List').responses[200].content['text/csv'].schema).toEqual({ type: 'string' });
    const { content } = operation('TrainingCatalog_Hyperparameters').responses[200];
    expect(content['application/yaml'].schema).toEqual({ type: 'string' });
  });

  it('patterns of whole characters, which other engines than ours understand', () => {
    const found = [...JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)];
    const patterns = found.map(([, pattern]) => pattern);
    expect(patterns.length).toBeGreaterThan(20);
    expect(patterns.filter((pattern) => /\\ud[89a-f]/i.test(pattern ?? ''))).toEqual([]);
  });

  it.each([
    'https://data.example.org',
    'http://127.0.0.1:9100/root/',
    'HTTPS://a/b?',
    'ftp://data.example.org',
    'data.example.org',
    'https://',
    'https://a b',
    'http://[::1]:80',
    'https://u:p@a.example',
  ])('%s as the address of a source as it is read', (text) => {
    const isPlain = readOutboundUrl(text).problem === null && !text.includes('?');
    expect(matches(schemas.BaseUrl, text)).toBe(isPlain);
  });

  const odd = ['\u0001a', 'C:/a', 'a\u202eb', ' ', 'a/ /b', `${'x'.repeat(256)}/a`, `${'x'.repeat(255)}/a`];
  it.each([...['a/b.png', 'ä/b', 'a\\b', '../a', 'a/../b', '/a', 'a/'], ...odd])(
    'of the file name %j what an upload makes of it',
    (name) => {
      const { filename } = schemas.DatasetUploadInit.properties;
      expect(matches(filename, name)).toBe(checkFilePath(name).problem === null);
    },
  );

  const paths = ['a/b.png', 'a\\b', '..', 'a/../b', '/a', 'a/', 'a//b', './a', 'a\u0007', '.hidden', '...'];
  it.each(paths)('of the artifact path %j what a read makes of it', (path) => {
    expect(matches(query('Runs_Artifact', 'path'), path)).toBe(artifactPathProblem(path) === null);
    const folder = path.replace(/^\/+|\/+$/g, '');
    expect(matches(query('Runs_Artifacts', 'path'), path)).toBe(artifactPathProblem(folder) === null);
  });
});
