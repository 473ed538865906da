/** `demo/digits` of `host:1/demo/digits@sha256:...`. */
export const imageName = (ref: string): string => ref.replace(/^[^/]*\//, '').replace(/@.*$/, '');

/** `sha256:...` of a reference; null where it has none. */
export const imageDigest = (ref: string | null): string | null =>
  ref === null ? null : (/@(sha256:[0-9a-f]+)$/.exec(ref)?.[1] ?? null);

/** A name for an endpoint out of that of a model: a DNS-1123 label of at most 50 characters. */
export const endpointNameOf = (model: string): string =>
  model
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 50)
    .replace(/-+$/, '');

/** The name, or with the first number from 2 on that makes it one that is not taken. '' stays ''. */
export function freeName(name: string, taken: readonly string[]): string {
  if (name === '' || !taken.includes(name)) return name;
  for (let number = 2; ; number += 1) {
    const numbered = `${name.slice(0, 46).replace(/-+$/, '')}-${number}`;
    if (!taken.includes(numbered)) return numbered;
  }
}

export const isEndpointName = (name: string): boolean => /^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$/.test(name);
