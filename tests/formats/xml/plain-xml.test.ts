import { describe, expect, it } from '@jest/globals';
import { readPlainXml } from '../../../formats/xml/plain-xml.js';
import { cpuMs, NO_SQUARE_MS } from '../../setup/cpu-time.js';

describe('XML of elements and text', () => {
  it.each([
    ['<!DOCTYPE a [<!ENTITY b "c">]><annotation>&b;</annotation>', /document type/],
    ['<annotation><!ENTITY x "y"></annotation>', /document type/],
    ['<annotation>&unknown;</annotation>', /entity/],
    ['<annotation>&amp</annotation>', /entity/],
    ['<annotation>&amp &amp;</annotation>', /entity/],
    [`<annotation>&#${'1'.repeat(20)};</annotation>`, /entity/],
    ['<annotation>&valueOf;</annotation>', /entity/],
    ['<annotation>&#0;</annotation>', /entity/],
    ['<annotation>&#x110000;</annotation>', /entity/],
    [`${'<a>'.repeat(50)}`, /nested deeper/],
    [`<annotation>${'<a/>'.repeat(200_001)}</annotation>`, /more than 200000/],
    ['<annotation><a></annotation>', /not open/],
    ['<annotation>', /ends before/],
    ['<annotation/><annotation/>', /more than one root/],
    ['<annotation/>text', /outside/],
    ['<annotation a="<"/>', /well-formed/],
    ['<annotation a=b/>', /well-formed/],
    ['<annotation><!-- </annotation>', /ends before/],
    ['<annotation/><!-- ', /ends before/],
    ['', /ends before/],
  ])('is refused with a reason: %.60s', (text, reason) => {
    expect(readPlainXml(text).problem).toMatch(reason);
  });

  it.each([
    '\uFEFF<?xml version="1.0"?><a>x</a>',
    '\n <?xml version="1.0"?><a>x</a>',
    '<!-- by a tool --><?xml version="1.0" encoding="utf-8"?><a>x</a>',
    '<a><?xml version="1.0"?>x</a>',
    '<?xml?><a>x</a>',
    '<a>x</a><?XML version="1.0"?>',
  ])('may declare itself anywhere: %j', (text) => {
    expect(readPlainXml(text).root?.text).toBe('x');
  });

  it('takes the five entities and numbers of characters', () => {
    expect(readPlainXml('<a>x&lt;&amp;&gt;;&#65;&#x1F642;&quot;&apos;;y</a>').root?.text).toBe(
      `x<&>;A\u{1f642}"';y`,
    );
  });

  it.each([
    ['ampersands', `<a>${'&'.repeat(4_000_000)}</a>`],
    ['spaces', `<a b${' '.repeat(4_000_000)}!`],
    ['attributes', `<a${' b="c"'.repeat(2_000_000)}!`],
    ['comments that end nowhere', `<a>${'<!--'.repeat(1_000_000)}`],
    ['closing tags', `<a>${'</'.repeat(2_000_000)}`],
  ])('is refused in no more time than it takes to read it: %s', (_, text) => {
    expect(cpuMs(() => expect(readPlainXml(text).problem).toMatch(/its XML/))).toBeLessThan(NO_SQUARE_MS);
  });
});
