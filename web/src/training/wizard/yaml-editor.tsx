import { useId } from 'react';
import './yaml-editor.css';

interface YamlEditorProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Lines, counted from 1, that something is wrong with. */
  readonly wrong: ReadonlySet<number>;
}

/** A text area with numbers of its lines; Tab leaves it, as it leaves any field. */
export function YamlEditor({ label, hint, value, onChange, wrong }: YamlEditorProps) {
  const id = useId();
  const lines = value.split('\n').length;
  return (
    <div>
      <label htmlFor={id} className="yaml-label">
        {label}
      </label>
      <p id={`${id}-hint`} className="yaml-hint">
        {hint}
      </p>
      <div className="yaml-editor">
        <div className="yaml-numbers" aria-hidden="true">
          {Array.from({ length: lines }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines are known by their numbers
            <div key={at} data-wrong={wrong.has(at + 1) || undefined}>
              {at + 1}
            </div>
          ))}
        </div>
        <textarea
          id={id}
          aria-describedby={`${id}-hint`}
          aria-invalid={wrong.size > 0}
          rows={lines}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      </div>
    </div>
  );
}
