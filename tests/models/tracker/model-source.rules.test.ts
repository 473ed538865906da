import { describe, expect, it } from '@jest/globals';
import { modelSource } from '../../../models/tracker/register/model-source.rules.js';

const ID = '0123456789abcdef0123456789abcdef';
const VERSION = '00000000-0000-4000-8000-000000000000';

describe('sources of model versions', () => {
  it.each([
    [`runs:/${ID}/model`, { kind: 'run', runId: ID, folder: 'model' }],
    [`mlflow-artifacts:/${ID}/artifacts/a/b/`, { kind: 'run', runId: ID, folder: 'a/b' }],
    [`models:/m-${ID}`, { kind: 'logged-model', modelId: `m-${ID}`, folder: '' }],
    [`mlflow-artifacts:/models/m-${ID}/artifacts`, { kind: 'logged-model', modelId: `m-${ID}`, folder: '' }],
    ['models:/a name/12', { kind: 'named-version', modelName: 'a name', version: 12 }],
    [`models:/m-${ID}/3`, { kind: 'named-version', modelName: `m-${ID}`, version: 3 }],
    [`mlflow-artifacts:/versions/${VERSION}`, { kind: 'version', versionId: VERSION, folder: '' }],
  ])('%s', (uri, source) => {
    expect(modelSource(uri)).toEqual(source);
  });

  it.each([
    's3://bucket/model',
    'file:///etc/passwd',
    '/etc/passwd',
    `https://example.com/${ID}/artifacts`,
    `mlflow-artifacts://other:5000/${ID}/artifacts#x`,
    'models:/name@champion',
    'models:/name/Production',
    'models:/name/12345678901',
    `runs:/${ID}x/model`,
    `mlflow-artifacts:/versions/${'-'.repeat(36)}`,
    '',
  ])('%j is elsewhere', (uri) => {
    expect(modelSource(uri)).toBeNull();
  });
});
