import type { TaskEntry } from './catalog.types.js';

/** In display order. */
export const TASK_ENTRIES: readonly TaskEntry[] = [
  { name: 'classification', title: 'Classification', description: 'One label for a whole image.' },
  {
    name: 'detection',
    title: 'Object detection',
    description: 'Boxes with labels around the objects of an image.',
  },
  {
    name: 'instance_segmentation',
    title: 'Instance segmentation',
    description: 'A mask with a label for each object of an image.',
  },
  {
    name: 'semantic_segmentation',
    title: 'Semantic segmentation',
    description: 'A label for each pixel of an image.',
  },
  { name: 'pose', title: 'Pose estimation', description: 'Keypoints of the objects of an image.' },
  {
    name: 'obb',
    title: 'Oriented boxes',
    description: 'Rotated boxes with labels around the objects of an image.',
  },
];
