import { expect, it } from '@jest/globals';
import { summaryOf, type UploadOf } from '../../../web/src/datasets/upload/upload-summary.js';

const upload = (datasetId: string, progress: Partial<UploadOf['progress']> = {}): UploadOf => ({
  tenant: 'demo',
  datasetId,
  progress: { phase: 'sending', bytes: 100, bytesDone: 0, failed: 0, ...progress },
});

it('is none when nothing is sent', () => {
  expect(summaryOf([])).toBeNull();
  expect(summaryOf([upload('a', { phase: 'done' }), upload('b', { phase: 'stopped' })])).toBeNull();
});

it('counts all that is sent, and leads to the first', () => {
  const uploads = [upload('a', { bytesDone: 50 }), upload('b', { bytes: 300, bytesDone: 70 })];
  expect(summaryOf(uploads)).toEqual({ tenant: 'demo', datasetId: 'a', percent: 30, isFailed: false });
});

it('leads to what failed, also when it has ended', () => {
  expect(summaryOf([upload('a'), upload('b', { failed: 2 })])).toMatchObject({
    datasetId: 'b',
    isFailed: true,
  });
  expect(summaryOf([upload('a', { phase: 'failed', bytesDone: 100 })])).toMatchObject({
    percent: 100,
    isFailed: true,
  });
});
