import { describe, expect, it } from '@jest/globals';
import { predictionOf } from '../../../web/src/serving/try/prediction.ts';

describe('prediction', () => {
  it('reads the classes of a picture, the surest first', () => {
    const answer = {
      predictions: [{ label: '7', score: 0.9, scores: { 1: 0.1, 7: 0.9 }, prediction_id: 'p' }],
    };
    expect(predictionOf(answer)).toEqual({
      kind: 'scores',
      id: 'p',
      best: { label: '7', score: 0.9 },
      scores: [
        { label: '7', score: 0.9 },
        { label: '1', score: 0.1 },
      ],
    });
  });

  it('reads boxes, corners, masks and the key points that are seen', () => {
    const detection = {
      label: 'cup',
      score: 0.8,
      box: [10, 20, 30, 60],
      corners: [
        [10, 20],
        [30, 20],
        [30, 60],
        [10, 60],
      ],
      mask: { size: [2, 2], counts: [1, 2, 1] },
      keypoints: [
        [11, 21, 2],
        [0, 0, 0],
      ],
    };
    const found = predictionOf({ predictions: [{ detections: [detection] }] });
    expect(found).toEqual({
      kind: 'objects',
      id: null,
      shapes: [
        {
          key: 0,
          label: 'cup',
          score: 0.8,
          box: { x: 10, y: 20, width: 20, height: 40 },
          corners: detection.corners,
          mask: 'M0 1H1V2H0ZM1 0H2V1H1Z',
          keypoints: [[11, 21]],
        },
      ],
    });
  });

  it('leaves out what cannot be drawn, and knows what it does not understand', () => {
    const broken = { predictions: [{ detections: [{ label: 'a', score: 1, box: [1, 'x', 3, 4] }, null] }] };
    expect(predictionOf(broken)).toMatchObject({ kind: 'objects', shapes: [] });
    for (const answer of [null, 'text', {}, { predictions: [] }, { predictions: [[1, 2]] }])
      expect(predictionOf(answer)).toEqual({ kind: 'unknown' });
  });
});
