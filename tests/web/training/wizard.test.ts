import { describe, expect, it } from '@jest/globals';
import {
  beginning,
  EMPTY_DRAFT,
  isStep,
  presetOf,
  requestOf,
  stepOf,
  stepsToDo,
  withConfig,
  withDataset,
  withModel,
  withTask,
} from '../../../web/src/training/wizard/draft.js';
import { lineOf, mergeParameters } from '../../../web/src/training/wizard/parameters.js';
import { evaluatedPart, evaluationOf } from '../../../web/src/training/wizard/evaluated-part.js';
import { previewQuery } from '../../../web/src/training/wizard/queries.js';
import {
  datasetFor,
  frozenData,
  holding,
  modelFor,
  taskFor,
} from '../../../web/src/training/wizard/resolve.js';

const CHOSEN = {
  ...EMPTY_DRAFT,
  task: 'classification',
  framework: 'sklearn',
  model: 'mlp',
  dataset_id: 'digits',
};

describe('the look at a dataset', () => {
  const keyOf = (digest: string) =>
    previewQuery(
      { code: 'demo' } as never,
      frozenData('digits', [
        { id: 'other', digest: 'x' },
        { id: 'digits', digest },
      ]),
      'detection',
      1,
    ).queryKey;

  it('is another one when the data were changed and frozen again', () => {
    expect(keyOf('one')).toEqual(keyOf('one'));
    expect(keyOf('two')).not.toEqual(keyOf('one'));
  });

  it('waits for the list, and asks by the id alone for what is not on it', () => {
    expect(frozenData('digits', undefined)).toBeNull();
    expect(frozenData(null, [])).toBeNull();
    expect(frozenData('digits', [])).toEqual({ id: 'digits', digest: '' });
  });
});

describe('the dataset that nobody chose', () => {
  const shown = datasetFor(EMPTY_DRAFT, [{ id: 'scenes' }]);
  const later = [{ id: 'newer' }, { id: 'scenes' }];

  it('is the same after an edit, whatever is frozen later, and keeps its classes', () => {
    const edited = { ...holding(EMPTY_DRAFT, shown), classes: ['seven'] };
    expect(datasetFor(edited, later)).toBe('scenes');
    expect(holding(edited, 'newer')).toEqual({ ...edited, dataset_id: 'scenes', classes: ['seven'] });
  });

  it('is held only once there is one, and never in the place of one that was chosen', () => {
    expect(holding(EMPTY_DRAFT, null)).toBe(EMPTY_DRAFT);
    expect(holding(CHOSEN, 'newer')).toBe(CHOSEN);
  });

  it('loses its classes where another is chosen', () => {
    expect(withDataset({ ...holding(EMPTY_DRAFT, shown), classes: ['seven'] }, 'newer').classes).toEqual([]);
  });
});

describe('the part that is evaluated', () => {
  it('is none where a preset says so, and can be chosen again', () => {
    const without = { evaluation: { enabled: false, confidence: 0.3 } };
    expect(evaluatedPart(without)).toBe('none');
    expect(evaluationOf(without, 'test')).toEqual({ enabled: true, split: 'test', confidence: 0.3 });
    expect(evaluationOf({}, 'none')).toEqual({ enabled: false });
  });

  it('is the test part unless another is chosen', () => {
    expect([{}, { evaluation: { split: 'val' } }].map(evaluatedPart)).toEqual(['test', 'val']);
  });
});

describe('request', () => {
  it('is none while something is not chosen', () => {
    expect(requestOf({ ...CHOSEN, model: null })).toBeNull();
  });

  it('says in which steps something is to be chosen', () => {
    expect(stepsToDo(CHOSEN)).toEqual([]);
    expect(stepsToDo({ ...CHOSEN, dataset_id: null })).toEqual(['dataset']);
    expect(stepsToDo(EMPTY_DRAFT)).toEqual(['task', 'model', 'dataset']);
  });

  it('leaves to the platform what nobody said', () => {
    expect(requestOf(CHOSEN)).toEqual({
      task: 'classification',
      framework: 'sklearn',
      model: 'mlp',
      dataset_id: 'digits',
      register_model: true,
    });
  });

  it('names no model that is not registered', () => {
    const request = requestOf({ ...CHOSEN, register_model: false, register_model_name: 'digits' });
    expect(request).not.toHaveProperty('register_model_name');
  });
});

describe('choices', () => {
  it('forgets with the task what hangs on it', () => {
    const draft = withTask({ ...CHOSEN, hyperparameters: 'epochs: 3', classes: ['1', '2'] }, 'detection');
    expect(draft).toMatchObject({ task: 'detection', model: null, hyperparameters: '', classes: [] });
    expect(withTask(CHOSEN, 'classification')).toBe(CHOSEN);
  });

  it('forgets the weights only with the framework', () => {
    const draft = { ...CHOSEN, hyperparameters: 'epochs: 3', pretrained: { enabled: false } };
    expect(withModel(draft, 'sklearn', 'knn')).toMatchObject({
      hyperparameters: '',
      pretrained: { enabled: false },
    });
    expect(withModel(draft, 'torchvision', 'resnet18').pretrained).toBeUndefined();
  });

  it('forgets the weights of another model', () => {
    const draft = { ...CHOSEN, pretrained: { enabled: true, source: 'url', url: 'https://example.org/w' } };
    expect(withModel(draft, 'sklearn', 'knn').pretrained).toBeUndefined();
  });

  it('begins without a word with the weights of the operator alone, as the platform does', () => {
    expect(beginning({}, ['catalog', 'url'])).toEqual({ isOn: true, source: 'catalog' });
    expect(beginning({}, ['url'])).toEqual({ isOn: false, source: 'url' });
    expect(beginning({ source: 'url' }, ['catalog', 'url'])).toEqual({ isOn: true, source: 'url' });
    expect(beginning({}, ['model', 'url'])).toEqual({ isOn: false, source: 'model' });
    expect(beginning({ enabled: false }, ['catalog', 'url']).isOn).toBe(false);
  });

  it('forgets the classes of another dataset', () => {
    expect(withDataset({ ...CHOSEN, classes: ['1'] }, 'letters').classes).toEqual([]);
  });
});

it('fills in the config of another training, with a name of its own', () => {
  const draft = withConfig(EMPTY_DRAFT, {
    ...requestOf(CHOSEN),
    experiment_name: 'first',
    hyperparameters: 'epochs: 3',
    split: { mode: 'ratio', train: 0.8, seed: null },
    pretrained: null,
    gpu: 0,
    register_model: false,
  });
  expect(draft).toMatchObject({ model: 'mlp', experiment_name: '', gpu: 0, register_model: false });
  expect(draft.split).toEqual({ mode: 'ratio', train: 0.8 });
  expect(draft.pretrained).toBeUndefined();
});

it('keeps in a preset nothing that belongs to one training', () => {
  const preset = presetOf({ ...CHOSEN, dataset_id: null, experiment_name: 'x', classes: ['1'] });
  expect(preset).toEqual({
    task: 'classification',
    framework: 'sklearn',
    model: 'mlp',
    register_model: true,
  });
  expect(presetOf(EMPTY_DRAFT)).toBeNull();
});

it('leads from a finding to its step', () => {
  expect(stepOf(['body', 'split', 'train'])).toBe('dataset');
  expect(stepOf(['body', 'hyperparameters'])).toBe('parameters');
  expect(stepOf(['body', 'serving', 'endpoint_name'])).toBe('review');
  expect(isStep('dataset')).toBe(true);
  expect(isStep('nowhere')).toBe(false);
});

describe('defaults', () => {
  const tasks = [
    { name: 'classification', available: true },
    { name: 'detection', available: true },
    { name: 'obb', available: false },
  ];
  const models = [
    { name: 'yolo', framework: 'ultralytics', available: false, default: true },
    { name: 'knn', framework: 'sklearn', available: true, default: false },
    { name: 'mlp', framework: 'sklearn', available: true, default: true },
  ];

  it('takes the first dataset, and the first task that it serves', () => {
    expect(datasetFor(EMPTY_DRAFT, [{ id: 'scenes' }])).toBe('scenes');
    expect(
      taskFor(
        EMPTY_DRAFT,
        tasks,
        new Map([
          ['classification', false],
          ['detection', true],
        ]),
      ),
    ).toBe('detection');
    expect(taskFor(EMPTY_DRAFT, tasks, new Map())).toBeNull();
  });

  it('takes no task before it is known whether the dataset serves those that come first', () => {
    const known = new Map([['detection', true]]);
    expect(taskFor(EMPTY_DRAFT, tasks, known)).toBeNull();
    expect(taskFor(EMPTY_DRAFT, tasks, known.set('classification', true))).toBe('classification');
  });

  it('takes the default model of what can be used', () => {
    expect(modelFor(EMPTY_DRAFT, models)?.name).toBe('mlp');
    expect(modelFor({ ...EMPTY_DRAFT, framework: 'sklearn', model: 'knn' }, models)?.name).toBe('knn');
    expect(modelFor(EMPTY_DRAFT, [])).toBeNull();
  });
});

describe('hyperparameters', () => {
  const CATALOG = '# Rounds\nepochs: 30\nseed: 42\n';

  it('keeps the comments of the catalog beside given values', () => {
    expect(mergeParameters(CATALOG, 'epochs: 5\nextra: a\n')).toBe(
      '# Rounds\nepochs: 5\nseed: 42\nextra: a\n',
    );
  });

  it('leaves a text that is more than pairs as it is', () => {
    expect(mergeParameters(CATALOG, 'epochs:\n  - 1\n')).toBe('epochs:\n  - 1\n');
  });

  it('finds the line that a finding means', () => {
    expect(lineOf(CATALOG, ['body', 'hyperparameters', 'epochs'])).toBe(2);
    expect(lineOf(CATALOG, ['body', 'hyperparameters', 3])).toBe(3);
    expect(lineOf(CATALOG, ['body', 'hyperparameters', 'nothing'])).toBeNull();
    expect(lineOf(CATALOG, ['body', 'hyperparameters'])).toBeNull();
  });
});
