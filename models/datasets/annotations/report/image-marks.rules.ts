/** What is found in the objects of an image. */
export const OBJECT_FINDINGS = [
  'annotations.class_out_of_range',
  'annotations.boxes_outside_image',
  'annotations.boxes_without_area',
  'annotations.image_size_mismatch',
  'annotations.repeated_objects',
] as const;
export type ObjectFinding = (typeof OBJECT_FINDINGS)[number];

/** Findings of the report that images are marked with. The others name examples only. */
export type ImageFinding =
  | ObjectFinding
  | 'annotations.images_without_annotation'
  | 'annotations.case_mismatch'
  | 'annotations.extension_mismatch'
  | 'duplicates.exact'
  | 'leakage.exact'
  | 'leakage.listed';

/** What the objects of an image say of it. */
export interface ImageMark {
  readonly path: string;
  readonly classes: readonly string[];
  readonly findings: readonly ObjectFinding[];
}

/** Marks of images whose objects come one image after the other. */
export class ImageMarks {
  private done: ImageMark[] = [];
  private image: { path: string; classes: Set<string>; findings: Set<ObjectFinding> } | null = null;

  begin(path: string): void {
    this.close();
    this.image = { path, classes: new Set(), findings: new Set() };
  }

  addClass(name: string): void {
    this.image?.classes.add(name);
  }

  addFinding(finding: ObjectFinding): void {
    this.image?.findings.add(finding);
  }

  /** No more objects come. */
  close(): void {
    if (this.image !== null) {
      const { path, classes, findings } = this.image;
      this.done.push({ path, classes: [...classes].sort(), findings: [...findings].sort() });
    }
    this.image = null;
  }

  /** Those of images that are over, once. */
  take(): readonly ImageMark[] {
    const taken = this.done;
    this.done = [];
    return taken;
  }
}
