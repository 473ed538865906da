import { expect, it } from '@jest/globals';
import { takesText } from '../../../web/src/shared/takes-text.js';

it.each([
  ['INPUT', 'text', true],
  ['INPUT', 'search', true],
  ['INPUT', 'checkbox', false],
  ['INPUT', 'radio', false],
  ['TEXTAREA', 'textarea', true],
  ['BUTTON', 'button', false],
  ['DIV', undefined, false],
])('%s of type %s: %p', (tagName, type, expected) => {
  expect(takesText(tagName, type)).toBe(expected);
});
