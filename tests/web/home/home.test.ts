import { describe, expect, it } from '@jest/globals';
import { nextSteps } from '../../../web/src/home/next-steps.js';
import { workItems } from '../../../web/src/home/work-items.js';

describe('nextSteps', () => {
  const nothing = { datasets: 0, trainings: 0, versions: 0, endpoints: 0 };

  it('begins with the pictures', () => {
    expect(nextSteps(nothing).map(({ key, isNext }) => [key, isNext])).toEqual([
      ['dataset', true],
      ['training', false],
      ['model', false],
      ['endpoint', false],
    ]);
  });

  it('names the first gap, whatever stands behind it', () => {
    const steps = nextSteps({ ...nothing, datasets: 2, versions: 1 });
    expect(steps.find(({ isNext }) => isNext)?.key).toBe('training');
    expect(steps.filter(({ isDone }) => isDone).map(({ key }) => key)).toEqual(['dataset', 'model']);
  });

  it('has nothing left to do once all is there', () => {
    const steps = nextSteps({ datasets: 1, trainings: 1, versions: 1, endpoints: 1 });
    expect(steps.map(({ isDone, isNext }) => [isDone, isNext])).toEqual(Array(4).fill([true, false]));
  });
});

describe('workItems', () => {
  const promotion = (id: string, status: string, created_by: string) => ({
    id,
    model_name: 'signs',
    to_version: 2,
    status,
    status_message: '',
    created_by,
  });
  const work = {
    trainings: [
      { id: 't1', name: 'first', status: 'RUNNING', status_message: 'epoch 3', progress: 0.4 },
      { id: 't2', name: 'second', status: 'QUEUED', status_message: 'waits for a slot', progress: 0 },
    ],
    validations: [
      { id: 'd1', name: 'shades', status: 'VALIDATING', validation_progress: { total: 8, checked: 2 } },
    ],
    syncs: [],
    deployments: [
      {
        ...{ id: 'x1', model_name: 'signs', version: 2, status: 'IN_PROGRESS' },
        ...{ message: '3 of 5 devices are done.', progress: 0.6 },
      },
    ],
    promotions: [promotion('p1', 'WAITING_APPROVAL', 'ann'), promotion('p2', 'WAITING_APPROVAL', 'bob')],
  };
  const endpoints = [
    { name: 'good', status: 'RUNNING', status_message: null },
    { name: 'off', status: 'STOPPED', status_message: null },
    { name: 'bad', status: 'DEGRADED', status_message: '1 of 2 answers' },
  ];
  const nameOf = (model: string, version: number) => `${model} ${version}`;
  const items = (mayApprove: boolean) =>
    workItems('demo', work, endpoints, { id: 'ann', mayApprove }, nameOf);

  it('puts what waits for the reader first, and never what they asked for themselves', () => {
    expect(items(true).map(({ key }) => key)).toEqual([
      'promotion p2',
      'endpoint bad',
      'deployment x1',
      'training t1',
      'training t2',
      'validation d1',
      'promotion p1',
    ]);
  });

  it('asks nobody who may not approve', () => {
    expect(items(false).some(({ isForReader }) => isForReader)).toBe(false);
  });

  it('shows progress only where something can be said', () => {
    const progress = Object.fromEntries(items(true).map(({ key, progress: done }) => [key, done]));
    expect(progress).toMatchObject({ 'training t1': 0.4, 'training t2': null, 'validation d1': 0.25 });
  });
});
