import { describe, expect, it } from '@jest/globals';
import { endpointNameOf } from '../../../models/training/config/check-outcome.js';
import { assertGpuWired } from '../../../models/serving/endpoint.rules.js';
import { check, detector, annotated, places } from './support/config-world.js';

const served = (over: Record<string, unknown> = {}) => ({
  register_model: true,
  serving: { build_image: true, create_endpoint: true, endpoint_name: 'shop', ...over },
});

describe('what becomes of a trained model', () => {
  it('is named as its experiment, without the project', () => {
    const named = (experiment_name: string) => {
      const { config, errors } = check({ experiment_name, register_model: true });
      expect(errors).toEqual([]);
      return config.register_model_name;
    };
    expect(['e', 'p/e', 'p/q/e 2'].map(named)).toEqual(['e', 'e', 'e 2']);
    expect(named(`p/${'x'.repeat(127)} ${'y'.repeat(60)}`)).toBe('x'.repeat(127));
    expect(check({ experiment_name: 'p/e', register_model_name: 'm' }).config.register_model_name).toBe('m');
  });

  it('is refused before it is trained where the endpoint has a name that is taken', () => {
    expect(check(served()).errors).toEqual([]);
    expect(check(served(), { endpointTaken: true }).errors).toEqual([
      {
        loc: ['body', 'serving', 'endpoint_name'],
        msg: 'there is an endpoint named shop already; choose another name',
        type: 'value_error',
      },
    ]);
  });

  it('looks for the name of an endpoint that is asked for alone', () => {
    expect(endpointNameOf(served())).toBe('shop');
    for (const given of [
      served({ create_endpoint: false }),
      served({ endpoint_name: 'Shop' }),
      served({ endpoint_name: 'a\u0000' }),
      ...[null, 7, {}, { serving: null }, { serving: 'shop' }],
    ])
      expect(endpointNameOf(given)).toBeNull();
    expect(check(served({ create_endpoint: false }), { endpointTaken: true }).errors).toEqual([]);
  });

  it('gets no GPU slots, as no endpoint does', () => {
    const [error, ...more] = check(served({ gpu: 1 })).errors;
    expect([error?.loc, more]).toEqual([['body', 'serving', 'gpu'], []]);
    expect(() => assertGpuWired(1)).toThrow(error?.msg);
  });
});

describe('the name of an experiment', () => {
  it.each(['Prüfstand 2', 'défauts/été', '車/夜間', 'वर्ग', 'a.b-c_d/e'])('takes %j', (experiment_name) =>
    expect(check({ experiment_name, register_model: true }).errors).toEqual([]),
  );
  it.each(['☃', 'a:b', 'a//b', '/a', 'a/', 'a/ b', 'a /b', '../a', 'a\nb', 'a\u200bb'])(
    'refuses %j',
    (experiment_name) => expect(places({ experiment_name })).toEqual(['experiment_name']),
  );
});

describe('GPU slots of a training', () => {
  it('are refused beyond those of the installation, with what there is and what to do', () => {
    const using = { dataset: annotated };
    expect(check({ ...detector, gpu: 1 }, using).errors).toEqual([
      {
        loc: ['body', 'gpu'],
        msg: 'this installation has no GPU slots; leave it out, or give 0, to train on the CPU',
        type: 'not_available',
      },
    ]);
    expect(check({ ...detector, gpu: 3 }, { ...using, gpuSlots: 2 }).errors).toMatchObject([
      { msg: expect.stringContaining('2 GPU slots') },
    ]);
    expect(places({ ...detector, gpu: 2 }, { ...using, gpuSlots: 2 })).toEqual([]);
    for (const gpu of [0, null]) expect(places({ ...detector, gpu }, using)).toEqual([]);
  });
});
