/** One thing that the validation found, with how often, and the first places. */
export interface Finding {
  /** `annotations.case_mismatch`, `leakage.near` */
  readonly id: string;
  readonly count: number;
  readonly examples: readonly Example[];
  /** False: not every pair was compared. */
  readonly isComplete: boolean;
}

interface Example {
  readonly text: string;
  /** Pictures that it names. */
  readonly paths: readonly string[];
}

export interface Report {
  readonly checkedAt: string | null;
  readonly errors: readonly Message[];
  readonly warnings: readonly Message[];
  readonly stats: Readonly<Record<string, unknown>>;
}

export interface Message {
  readonly code: string;
  readonly message: string;
  readonly fileId: string | null;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The report of a validation; parts that an older one does not have are empty. */
export function reportOf(validation: unknown): Report {
  const report = recordOf(validation);
  const messages = (value: unknown): Message[] =>
    listOf(value).map((one) => {
      const { code, message, file_id: fileId } = recordOf(one);
      return {
        code: String(code ?? ''),
        message: String(message ?? ''),
        fileId: fileId ? String(fileId) : null,
      };
    });
  return {
    checkedAt: typeof report.checked_at === 'string' ? report.checked_at : null,
    errors: messages(report.errors),
    warnings: messages(report.warnings),
    stats: recordOf(report.stats),
  };
}

const ANNOTATION_FINDINGS = [
  'images_without_annotation',
  'annotations_without_image',
  'case_mismatch',
  'extension_mismatch',
  'ambiguous_stem',
  'class_out_of_range',
  'boxes_outside_image',
  'boxes_without_area',
  'image_size_mismatch',
  'objects_of_other_kind',
  'repeated_objects',
] as const;

const PARTS = ['train', 'val', 'test'];

/** Parts of a dataset in the order in which they are used, whatever order the report has them in; others come last. */
export const partsInOrder = (splits: Readonly<Record<string, unknown>>): ReadonlyArray<[string, unknown]> => {
  const place = (part: string) => (PARTS.includes(part) ? PARTS.indexOf(part) : PARTS.length);
  return Object.entries(splits).sort(([one], [other]) => place(one) - place(other));
};

/** Findings that happened at least once. */
export function findingsOf(validation: unknown): Finding[] {
  const { stats } = reportOf(validation);
  const annotations = recordOf(stats.annotations);
  const found = ANNOTATION_FINDINGS.map((code) => {
    const { count, examples } = recordOf(annotations[code]);
    return findingOf(`annotations.${code}`, count, examples, true);
  });
  for (const group of ['leakage', 'duplicates'] as const)
    for (const kind of ['exact', 'listed', 'near'] as const) {
      const { images, examples, is_complete: isComplete } = recordOf(recordOf(stats[group])[kind]);
      found.push(findingOf(`${group}.${kind}`, images, examples, isComplete !== false));
    }
  return found.filter(({ count }) => count > 0);
}

function findingOf(id: string, count: unknown, examples: unknown, isComplete: boolean): Finding {
  return {
    id,
    count: numberOf(count) ?? 0,
    examples: listOf(examples).map((one) => {
      const parts = listOf(one);
      const text = parts.length > 0 ? parts.map(String).join(' · ') : String(one);
      return { text, paths: (parts.length > 0 ? parts.map(String) : [String(one)]).flatMap(imagesIn) };
    }),
    isComplete,
  };
}

const IMAGE = /\.(?:png|jpe?g|webp|gif|tiff?|avif)$/i;

/** Pictures that an example names: alone, before a colon, or in brackets after `there is`. */
export function imagesIn(example: string): string[] {
  const candidates = [
    example,
    example.replace(/: .*$/, ''),
    /\(there is (.+)\)$/.exec(example)?.[1] ?? '',
    example.replace(/ \(there is .+\)$/, ''),
  ];
  return [...new Set(candidates.filter((path) => IMAGE.test(path)))];
}
