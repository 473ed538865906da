import { isClassNumber, isNumber } from './yolo-number.js';

const LINES_LOOKED_AT = 20;

/**
 * At least every second of the first lines is a class number with four numbers or more: a broken line among them is for
 * the reader of labels to name. An empty label file is an image without objects.
 */
export function isYoloText(text: string): boolean {
  const lines = text
    .split('\n', LINES_LOOKED_AT)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.filter(isLabelLine).length * 2 >= lines.length;
}

function isLabelLine(line: string): boolean {
  const [first = '', ...rest] = line.split(/\s+/);
  return (
    isClassNumber(first) &&
    rest.length >= 4 &&
    rest.every((word) => isNumber(word) || /^[-+]?(nan|inf|infinity)$/i.test(word))
  );
}
