export const DEFAULT_PROJECT = 'default';

export interface ExperimentPlace {
  readonly project: string;
  readonly name: string;
}

/** An MLflow name `p/e` is experiment e of project p; without a slash between two parts the project is `default`. */
export function experimentPlace(name: string): ExperimentPlace {
  const at = name.indexOf('/');
  return at <= 0 || at === name.length - 1
    ? { project: DEFAULT_PROJECT, name }
    : { project: name.slice(0, at), name: name.slice(at + 1) };
}

/** The shortest name that leads to the same place. */
export function experimentName({ project, name }: ExperimentPlace): string {
  const plain = experimentPlace(name);
  return plain.project === project && plain.name === name ? name : `${project}/${name}`;
}
