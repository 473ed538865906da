import { describe, expect, it } from '@jest/globals';
import { renderPicture } from '../../cli/sample/picture.js';

describe('the sample picture', () => {
  const svg = renderPicture({
    labels: ['0', '<1>'],
    counts: [
      [9, 0],
      [1, 10],
    ],
    examples: [Buffer.from('a'), Buffer.from('b')],
    accuracy: 0.95,
  });

  it('shows the accuracy, every count above zero and a scan of each digit', () => {
    expect(svg).toContain('Accuracy 95.0 % on 20 images');
    expect([...svg.matchAll(/>(9|1|10)</g)]).toHaveLength(3);
    expect([...svg.matchAll(/<image /g)]).toHaveLength(2);
  });

  it('escapes what a label holds', () => {
    expect(svg).toContain('&lt;1&gt;');
    expect(svg).not.toContain('<1>');
  });
});
