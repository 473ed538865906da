import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ConfigWorld } from '../../../models/training/config/check-experiment-config.js';
import { type KnownVersion, versionAskedFor } from '../../../models/training/config/check-version-weights.js';
import { check } from './support/config-world.js';

describe('weights to begin with', () => {
  const net = { framework: 'torchvision', model: 'resnet18' };
  const sha256 = 'a'.repeat(64);
  const placed = { weights: { sha256 } };
  const begin = (pretrained: Record<string, unknown> | undefined, using: Partial<ConfigWorld> = {}) =>
    check({ ...net, ...(pretrained ? { pretrained } : {}) }, using);
  const found = (pretrained: Record<string, unknown>, using: Partial<ConfigWorld> = {}) =>
    begin(pretrained, using).errors.map(({ loc, type }) => [loc.at(-1), type]);
  const url = 'https://example.org/resnet18.pth';

  it('are those of the operator without a word where there are some, and none elsewhere', () => {
    expect(begin(undefined, placed).config.pretrained).toMatchObject({ enabled: true, sha256 });
    expect(begin(undefined).config.pretrained).toMatchObject({ enabled: false, sha256: null });
    expect(begin({ enabled: false }, placed).config.pretrained).toMatchObject({
      enabled: false,
      sha256: null,
    });
    expect(check({ pretrained: { enabled: true } }, placed).config.pretrained.enabled).toBe(false);
  });

  it('are refused where they were asked for and nobody placed them', () => {
    expect(found({ enabled: true })).toEqual([['source', 'not_available']]);
    expect(begin({ enabled: true }).errors[0]?.msg).toContain('no weights of resnet18');
    expect(found({ enabled: true }, placed)).toEqual([]);
    expect(found({ sha256: 'b'.repeat(64), enabled: true }, placed)).toEqual([['sha256', 'value_error']]);
  });

  it('come from an address with their sha256 alone', () => {
    expect(begin({ source: 'url', url, sha256 }).errors).toEqual([]);
    expect(begin({ source: 'url', url, sha256 }).config.pretrained).toMatchObject({ enabled: true, url });
    expect(found({ source: 'url', url })).toEqual([['sha256', 'missing']]);
    expect(found({ source: 'url', sha256 })).toEqual([['url', 'value_error']]);
    expect(found({ source: 'url', url: 'file:///etc/passwd', sha256 })).toEqual([['url', 'value_error']]);
    expect(found({ source: 'url', url, sha256: 'A'.repeat(64) })).toEqual([['sha256', 'value_error']]);
  });

  describe('of a registered version', () => {
    const known: KnownVersion = {
      ...{ is: 'known', version: 3, task: 'classification', framework: 'torchvision' },
      ...{ network: 'resnet18', sha256 },
    };
    const wanted = { source: 'model', model_name: 'mine' };
    const says = (version: ConfigWorld['version'], over: Record<string, unknown> = {}) =>
      begin({ ...wanted, ...over }, { version }).errors.map(({ loc, msg }) => [loc.at(-1), msg]);

    it('are kept with their version and digest, the newest where none is named', () => {
      const kept = { enabled: true, source: 'model', model_name: 'mine', version: 3, sha256 };
      expect(begin(wanted, { version: known })).toMatchObject({ errors: [], config: { pretrained: kept } });
      expect(says(known, { version: 3, sha256 })).toEqual([]);
      const other = says(known, { sha256: 'b'.repeat(64) });
      expect(other).toEqual([['sha256', `the weights of version 3 of mine have ${sha256}`]]);
    });

    it('are refused where the model, or the version, is not there', () => {
      expect(says(null, { model_name: null })).toEqual([['model_name', 'is required when source is model']]);
      expect(says(null, { model_name: 'a/b' })).toEqual([['model_name', expect.stringContaining('/')]]);
      expect(says({ is: 'no model' })).toEqual([['model_name', 'there is no model "mine"']]);
      expect(says({ is: 'no version', newest: 3 }, { version: 4 })).toEqual([
        ['version', 'the model mine has no version 4; its newest is 3'],
      ]);
      expect(says({ is: 'no version', newest: null })).toEqual([
        ['version', 'the model mine has no versions any more'],
      ]);
    });

    it('are refused where they were trained in another network', () => {
      const wants = 'a training of resnet18 of torchvision for classification';
      const refused = (text: string) => [
        ['version', `version 3 of mine is ${text}: ${wants} begins with ${same}`],
      ];
      const same = 'weights of the same model alone';
      expect(says({ ...known, network: 'resnet50' })).toEqual(
        refused('resnet50 of torchvision for classification'),
      );
      expect(says({ ...known, task: 'detection' })).toEqual(refused('resnet18 of torchvision for detection'));
      expect(says({ ...known, framework: 'sklearn', network: 'mlp' })).toEqual(
        refused('mlp of sklearn for classification'),
      );
      expect(says({ ...known, framework: null, task: null, network: null })).toEqual(
        refused('a model of an unknown framework for an unknown task'),
      );
    });

    it('are refused where its folder has no file of them, and where the framework takes none', () => {
      expect(begin(wanted, { version: { ...known, network: null, sha256: null } }).errors).toMatchObject([
        { loc: ['body', 'pretrained', 'version'], type: 'not_available' },
      ]);
      expect(check({ pretrained: wanted }, { version: known }).errors).toMatchObject([
        { loc: ['body', 'pretrained', 'source'], msg: expect.stringContaining('trains from nothing') },
      ]);
    });

    it('are looked up by what an unchecked config says, whatever that is', () => {
      const asks = (pretrained: unknown) => versionAskedFor({ pretrained });
      expect(asks(wanted)).toEqual({ name: 'mine', version: null });
      expect(asks({ ...wanted, version: 2 })).toEqual({ name: 'mine', version: 2 });
      for (const nothing of [null, 'x', {}, { ...wanted, source: 'url' }, { ...wanted, model_name: 'a\0' }])
        expect(asks(nothing)).toBeNull();
      for (const version of ['2', 1.5, 2 ** 40]) expect(asks({ ...wanted, version })).toBeNull();
      fc.assert(fc.property(fc.jsonValue(), (given) => void versionAskedFor(given)));
    });
  });
});
