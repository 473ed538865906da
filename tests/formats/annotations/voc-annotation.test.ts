import { describe, expect, it } from '@jest/globals';
import type { AnnotationReading } from '../../../formats/annotations/annotation.types.js';
import { unpackObjects } from '../../../formats/annotations/packed-objects.js';
import { readVoc } from '../../../formats/annotations/voc/voc-annotation.js';

const objectsOf = (reading: AnnotationReading) =>
  [...(reading.facts?.entries ?? [])].map((entry) => [...unpackObjects(entry.objects)]);

describe('Pascal VOC', () => {
  it('gives boxes, classes and where the image may lie', () => {
    const reading = readVoc(
      '<!-- by a tool --><annotation verified="yes"><filename>p/a.jpeg</filename><!-- x --><size><width>5</width><height>6</height></size><object><name><![CDATA[a<b]]></name><bndbox><ymax>4</ymax><xmin>1.5</xmin><ymin>2</ymin><xmax>3</xmax></bndbox></object></annotation>',
      'VOC/Annotations/a.xml',
    );
    expect(reading.facts).toMatchObject({
      classes: [{ id: 0, name: 'a<b' }],
      entries: [{ name: 'p/a', extension: 'jpeg', width: 5, height: 6 }],
    });
    expect([...(reading.facts?.entries ?? [])][0]?.refs).toContain('VOC/JPEGImages/a');
    expect(objectsOf(reading)[0]?.[0]?.box).toEqual([1.5, 2, 1.5, 2]);
  });

  it.each([
    ['<other/>', /not a Pascal VOC/],
    ['<annotation><object><name>a</name></object></annotation>', /no box/],
    [
      '<annotation><object><name>a</name><bndbox><xmin>NaN</xmin><ymin>1</ymin><xmax>1</xmax><ymax>1</ymax></bndbox></object></annotation>',
      /no box/,
    ],
    ['<annotation><object><bndbox/></object></annotation>', /no name/],
  ])('is refused for what it says: %.60s', (text, reason) => {
    expect(readVoc(text, 'a.xml').problem).toMatch(reason);
  });
});
