import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { FrozenDataset } from '../../../models/datasets/catalog/dataset.types.js';
import { TASKS } from '../../../models/training/catalog/catalog.types.js';
import { checkExperimentConfig } from '../../../models/training/config/check-experiment-config.js';
import { BUILT_IN_PRESETS } from '../../../models/training/presets/built-in-presets.js';
import {
  catalog,
  dataset,
  annotated,
  parted,
  world,
  check,
  places,
  message,
  detector,
} from './support/config-world.js';

describe('experiment config', () => {
  it('fills in every default', () => {
    const { config, errors } = check();
    expect(errors).toEqual([]);
    expect(config).toMatchObject({
      classes: [],
      split: { mode: 'ratio', train: 0.8, val: 0.1, test: 0.1, seed: 42, stratify: false },
      evaluation: { enabled: true, split: 'test', conf: 0.25, iou: 0.5 },
      serving: { build_image: false, replicas: 1, gpu: 0 },
      gpu: 0,
      experiment_name: 'mlp-20261121-143005',
      register_model: false,
      register_model_name: 'mlp-20261121-143005',
    });
  });

  it('asks for one GPU slot by default where the installation has any, and for none elsewhere', () => {
    expect([0, 1, 8].map((gpuSlots) => check({}, { gpuSlots }).config.gpu)).toEqual([0, 1, 1]);
    expect(check({ gpu: null }, { gpuSlots: 8 }).config.gpu).toBe(1);
    expect(check({ gpu: 0 }, { gpuSlots: 8 }).config.gpu).toBe(0);
    expect(check({ gpu: 2 }, { gpuSlots: 2 }).config.gpu).toBe(2);
  });

  it('warns of what was asked for and comes to nothing, and of no default', () => {
    expect(check().warnings).toEqual([]);
    expect(check({ pretrained: { enabled: true, source: 'catalog' } }).warnings).toEqual([]);
    expect(check({ gpu: 1 }, { gpuSlots: 1 }).warnings.map(({ loc }) => loc)).toEqual([['body', 'gpu']]);
  });

  it('names the licence of a framework that puts its models under it', () => {
    const yolo = { framework: 'ultralytics', model: 'yolo11n-cls' };
    const { errors, warnings } = check(yolo, { availability: () => ({ available: true, reason: null }) });
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      { loc: ['body', 'framework'], msg: expect.stringContaining('AGPL-3.0'), type: 'licence' },
    ]);
  });

  it('names what the environment takes that is made first', () => {
    const { warnings } = check({}, { environmentToMake: () => ({ sizeGb: 5.4, seconds: 95 }) });
    expect(warnings).toEqual([
      {
        loc: ['body', 'framework'],
        msg: expect.stringContaining('about 5.4 GB and 95 s'),
        type: 'environment',
      },
    ]);
  });

  it('warns of equal images where both sides of the split may hold one', () => {
    const warned = (mode: string, copies: FrozenDataset['copies']) =>
      check(
        { split: { mode }, pretrained: { enabled: false }, gpu: 0 },
        { dataset: { ...parted, copies } },
      ).warnings.map(({ loc, msg }) => [loc.join('.'), msg]);
    expect(warned('ratio', { images: 0, leaked: 0 })).toEqual([]);
    expect(warned('existing', { images: 4, leaked: 0 })).toEqual([]);
    expect(warned('existing', { images: 4, leaked: 2 })).toEqual([
      ['body.split', expect.stringMatching(/^2 images of val and test have the same bytes as one of train/)],
    ]);
    expect(warned('ratio', { images: 4, leaked: 2 })).toEqual([
      ['body.split', expect.stringMatching(/^4 images have the same bytes as another one/)],
    ]);
  });

  it('says what parts of few images come out empty, and which classes may', () => {
    const found = (counts: readonly number[], split: Record<string, unknown>, over = {}) => {
      const classes = counts.map((count, at) => ({ name: String(at), count }));
      const using = { dataset: { ...dataset, classes, fileCount: 1 } };
      const { errors, warnings } = check({ split, gpu: 0, pretrained: { enabled: false }, ...over }, using);
      return [...errors, ...warnings].map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`);
    };
    const empty = expect.stringMatching(
      /^evaluation\.split: the part test comes out empty, since 0\.1 of 4 images is none/,
    );
    const rare = expect.stringMatching(/^split\.stratify: classes with so few images .*: "0", "1";/);
    expect(found([2, 2], {})).toEqual([empty, rare]);
    expect(found([2, 2], {}, { evaluation: { enabled: false } })).toEqual([rare]);
    // A half becomes the even number, as in Python.
    expect(found([5, 20], { train: 0.8, val: 0.18, test: 0.02, stratify: false })).toHaveLength(1);
    expect(found([5, 20], { train: 0.8, val: 0.14, test: 0.06, stratify: false })).toEqual([]);
    // Each class for itself.
    expect(found([3, 3], { train: 0.6, val: 0.2, test: 0.2, stratify: true })).toEqual([]);
    expect(found([2, 2], { train: 0.6, val: 0.2, test: 0.2, stratify: true })).toHaveLength(1);
    expect(found([1, 1], { train: 0.2, val: 0.2, test: 0.6, stratify: true })).toEqual([
      expect.stringMatching(/^split: leaves none of 2 images for train/),
    ]);
  });

  it('refuses parts of few annotated images that come out empty, whatever files annotate them', () => {
    const found = (images: number, split: Record<string, unknown> = {}, over = {}) => {
      const named = { found: images, missing: 0, examples: [] };
      const using = { dataset: { ...annotated, named, fileCount: 2 * images + 1 } };
      return places({ ...detector, split, ...over }, using);
    };
    expect(found(5)).toEqual(['evaluation.split']);
    expect(found(6)).toEqual([]);
    expect(found(5, {}, { evaluation: { enabled: false } })).toEqual([]);
    expect(found(1, { train: 0.2, val: 0.2, test: 0.6 })).toEqual(['split']);
  });

  it('refuses annotations of images that are not there, and warns of a few', () => {
    const found = (named: FrozenDataset['named'], task = 'detection', model = 'fcos_resnet18_fpn') => {
      const using = { dataset: { ...annotated, named } };
      const { errors, warnings } = check({ task, framework: 'torchvision', model, gpu: 0 }, using);
      return [errors, warnings].map((list) => list.map(({ type, msg }) => [type, msg]));
    };
    const examples = ['train.json: a.png', 'train.json: b.png', 'train.json: c.png', 'train.json: d.png'];
    expect(found({ found: 10, missing: 0, examples: [] })).toEqual([[], []]);
    const refused =
      '4 images that the annotations name are not in the dataset (89 % are): ' +
      'train.json: a.png, train.json: b.png, train.json: c.png, ...; upload them or remove their annotations';
    expect(found({ found: 35, missing: 4, examples })).toEqual([[['images_missing', refused]], []]);
    expect(found({ found: 36, missing: 4, examples })).toEqual([
      [],
      [['images_missing', expect.stringContaining('(90 % are)')]],
    ]);
    expect(found({ found: 1, missing: 9, examples }, 'classification', 'resnet18')).toEqual([[], []]);
  });

  it('reads null as left out', () => {
    expect(check({ split: null, hyperparameters: null, gpu: null }).errors).toEqual([]);
  });

  it('names an unknown key and the nearest known one, at any depth', () => {
    expect(message({ hyperparametrs: 'epochs: 3' })).toContain('did you mean "hyperparameters"?');
    expect(places({ split: { tain: 0.8 } })).toEqual(['split.tain']);
    expect(message({ split: { tain: 0.8 } })).toContain('did you mean "train"?');
    expect(places({ constructor: 1 })).toEqual(['constructor']);
  });

  it.each([
    ['task', { task: 'classfication' }],
    ['framework', { framework: 'sklern' }],
    ['framework', { framework: 'ultralytics', model: 'yolo11n-cls' }],
    [
      'export.formats',
      { framework: 'torchvision', model: 'resnet18', export: { enabled: true, formats: ['tensorrt'] } },
    ],
    ['model', { model: 'mpl' }],
    ['classes', { classes: ['0', '7'] }],
    ['classes', { classes: ['0'] }],
    ['split', { split: { train: 0.8, val: 0.1, test: 0.2 } }],
    ['split.train', { split: { train: 0, val: 0.5, test: 0.5 } }],
    ['split.seed', { split: { seed: -1 } }],
    ['evaluation.split', { split: { train: 0.9, val: 0.1, test: 0 } }],
    ['evaluation.metrics.1', { evaluation: { metrics: ['accuracy', 'map50'] } }],
    ['split', { split: { mode: 'existing' } }],
    ['hyperparameters.epochs', { hyperparameters: 'epochs: many' }],
    ['hyperparameters.epochs', { hyperparameters: 'epochs: 0' }],
    ['hyperparameters.epoch', { hyperparameters: 'epoch: 3' }],
    ['hyperparameters', { hyperparameters: '- 1' }],
    ['pretrained.source', { pretrained: { source: 'url', url: 'https://example.org/w' } }],
    ['export.enabled', { export: { enabled: true } }],
    ['experiment_name', { experiment_name: '../up' }],
    ['register_model_name', { register_model: true, register_model_name: 'a:b' }],
    ['serving.build_image', { serving: { build_image: true } }],
    ['gpu', { gpu: 1.5 }],
    ['register_model', { register_model: 'yes' }],
  ])('refuses a bad %s', (place, over) => {
    expect(places(over as Record<string, unknown>)).toContain(place);
  });

  it('names the metrics that a framework reports, and takes each of them', () => {
    expect(message({ evaluation: { metrics: ['acc'] } })).toContain(
      'accuracy, precision_macro, recall_macro, f1_macro, loss',
    );
    expect(check({ evaluation: { metrics: ['accuracy', 'f1_macro'] } }).errors).toEqual([]);
  });

  it('takes the parts that folders name, with the classes below them', () => {
    expect(places({ split: { mode: 'existing' } }, { dataset: parted })).toEqual([]);
    expect(places({ split: { mode: 'existing' }, classes: ['0', '7'] }, { dataset: parted })).toEqual([
      'classes',
    ]);
  });

  it('needs a FROZEN dataset', () => {
    expect(places({}, { dataset: null })).toEqual(['dataset_id']);
  });

  it('says why a framework cannot be trained here', () => {
    const { errors } = check(
      {},
      { availability: () => ({ available: false, reason: 'Python is missing.' }) },
    );
    expect(errors[0]).toMatchObject({
      loc: ['body', 'framework'],
      msg: 'cannot be trained here: Python is missing.',
    });
  });

  it('accepts every preset once it names a dataset', () => {
    for (const preset of BUILT_IN_PRESETS)
      expect(check({ ...preset.config }, { dataset: annotated }).errors).toEqual([]);
  });

  it('accepts the default hyperparameters of every model it can train', () => {
    for (const { framework, task, name, hyperparameters } of ['sklearn', 'torchvision'].flatMap((own) =>
      TASKS.flatMap((each) => catalog.models(each, own)),
    ))
      expect([
        name,
        check({ framework, task, model: name, hyperparameters }, { dataset: annotated }).errors,
      ]).toEqual([name, []]);
  });

  const boxes = {
    ...dataset,
    format: 'coco',
    classes: [],
    tasks: { detection: [{ name: 'cat', count: 4 }] },
  } as const;

  it('refuses a task that the annotations of a dataset do not serve, and says which they do', () => {
    expect(check(detector, { dataset: boxes }).errors).toEqual([]);
    expect(check(detector).errors[0]).toMatchObject({
      loc: ['body', 'dataset_id'],
      msg: 'detection needs boxes, of which the dataset has none',
    });
    for (const [task, model] of [
      ['instance_segmentation', 'maskrcnn_resnet18_fpn'],
      ['semantic_segmentation', 'lraspp_mobilenet_v3_large'],
      ['pose', 'keypointrcnn_resnet18_fpn'],
    ])
      expect(check({ ...detector, task, model }, { dataset: boxes }).errors[0]).toMatchObject({
        loc: ['body', 'dataset_id'],
        msg: expect.stringMatching(/its annotations serve detection$/),
      });
    expect(places({}, { dataset: boxes })).toEqual(['dataset_id']);
  });

  it('paints the masks of instances for semantic segmentation', () => {
    const masks = { ...boxes, tasks: { instance_segmentation: [{ name: 'cat', count: 4 }] } };
    const segmenter = { ...detector, task: 'semantic_segmentation', model: 'lraspp_mobilenet_v3_large' };
    expect(check(segmenter, { dataset: masks }).errors).toEqual([]);
    expect(places({ ...segmenter, classes: ['dog'] }, { dataset: masks })).toEqual(['classes']);
  });

  it('refuses more classes than a pixel of semantic segmentation can name', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `c${at}`, count: 1 }));
    const masks = (count: number) => ({ ...boxes, tasks: { instance_segmentation: many(count) } });
    const segmenter = { ...detector, task: 'semantic_segmentation', model: 'lraspp_mobilenet_v3_large' };
    expect(places(segmenter, { dataset: masks(254) })).toEqual([]);
    expect(places(segmenter, { dataset: masks(255) })).toEqual(['classes']);
    expect(places({ ...segmenter, classes: ['c1', 'c2'] }, { dataset: masks(300) })).toEqual([]);
  });

  it('refuses to evaluate a part that is empty, where folders name the parts', () => {
    const noTest = { ...boxes, splits: { train: 9, val: 3 } };
    const existing = { ...detector, split: { mode: 'existing' } };
    expect(places(existing, { dataset: noTest })).toEqual(['split']);
    expect(places({ ...existing, evaluation: { split: 'val' } }, { dataset: noTest })).toEqual([]);
  });

  it('takes the metrics of the task and the formats that the framework exports', () => {
    const wanted = { evaluation: { metrics: ['map50'] }, export: { enabled: true, formats: ['onnx'] } };
    expect(check({ ...detector, ...wanted }, { dataset: boxes }).errors).toEqual([]);
    expect(places({ ...detector, evaluation: { metrics: ['miou'] } }, { dataset: boxes })).toEqual([
      'evaluation.metrics.0',
    ]);
    expect(check({ ...detector, gpu: 1 }, { dataset: boxes, gpuSlots: 1 }).warnings).toEqual([]);
  });

  it('answers anything with findings and never fails', () => {
    fc.assert(fc.property(fc.jsonValue(), (given) => void checkExperimentConfig(given, world)));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('split', 'classes', 'hyperparameters', 'serving', 'gpu', 'pretrained', 'x'),
          fc.jsonValue(),
        ),
        (over) => void check(over as Record<string, unknown>),
      ),
    );
  });

  it('accepts exactly the ratios that add up to one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 98 }), fc.integer({ min: 1, max: 98 }), (train, val) => {
        const test = 100 - train - val;
        fc.pre(test > 0);
        const using = {
          dataset: { ...dataset, classes: dataset.classes.map(({ name }) => ({ name, count: 1000 })) },
        };
        const split = { train: train / 100, val: val / 100, test: test / 100 };
        expect(check({ split }, using).errors).toEqual([]);
        expect(
          places({ split: { train: train / 100, val: val / 100, test: test / 100 + 0.01 } }),
        ).not.toEqual([]);
      }),
    );
  });
});
