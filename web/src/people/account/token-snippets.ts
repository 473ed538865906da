export interface Snippet {
  readonly id: 'shell' | 'python' | 'curl' | 'docker';
  readonly lines: string;
}

/**
 * How a token is used, to be copied. The token stands in the lines: they are made for the one moment in which it is shown.
 * @param origin scheme, host and port of the platform
 */
export function tokenSnippets(
  kind: 'tracker' | 'registry',
  token: string,
  origin: string,
  email: string,
): Snippet[] {
  if (kind === 'registry') {
    const host = new URL(origin).host;
    return [
      { id: 'docker', lines: `printf %s '${token}' | docker login ${host} -u '${email}' --password-stdin` },
    ];
  }
  return [
    {
      id: 'shell',
      lines: `export MLFLOW_TRACKING_URI='${origin}/tracker'\nexport MLFLOW_TRACKING_TOKEN='${token}'`,
    },
    {
      id: 'python',
      lines: [
        'import os',
        'import mlflow',
        '',
        `os.environ["MLFLOW_TRACKING_TOKEN"] = "${token}"`,
        `mlflow.set_tracking_uri("${origin}/tracker")`,
        'mlflow.set_experiment("first steps")',
        'mlflow.autolog()',
      ].join('\n'),
    },
    {
      id: 'curl',
      lines: `curl -s '${origin}/tracker/api/2.0/mlflow/experiments/search?max_results=5' -H 'Authorization: Bearer ${token}'`,
    },
  ];
}
