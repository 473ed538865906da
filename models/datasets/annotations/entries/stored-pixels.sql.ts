/**
 * Whether an entry `a` of an image `i` that is stored lying states its size as stored: its places are in stored pixels then, and
 * are turned with the image.
 */
export const STATES_STORED_PIXELS =
  'i.is_turned and i.width <> i.height and a.width = i.width and a.height = i.height';
