import { Group, SegmentedControl, Slider, Switch, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { text } from '../../text';
import type { ChartSettings } from './curve';

const DEFAULTS: ChartSettings = { smoothing: 0, isLog: false, x: 'step' };

/** How this browser draws curves; it is remembered. */
export const useChartSettings = () =>
  useLocalStorage<ChartSettings>({
    key: 'visionops.charts',
    defaultValue: DEFAULTS,
    getInitialValueInEffect: false,
  });

interface ChartToolsProps {
  readonly settings: ChartSettings;
  readonly onChange: (settings: ChartSettings) => void;
}

/** Smoothing, logarithmic axis and the x axis of all charts of a page. */
export function ChartTools({ settings, onChange }: ChartToolsProps) {
  const words = text.training.charts;
  return (
    <Group gap="md" wrap="wrap" role="group" aria-label={words.settings}>
      <Group gap="sm" wrap="nowrap">
        <Text size="sm">{words.smoothing}</Text>
        <Slider
          w={130}
          size="sm"
          min={0}
          max={0.99}
          step={0.01}
          label={(value) => value.toFixed(2)}
          thumbLabel={words.smoothing}
          value={settings.smoothing}
          onChange={(smoothing) => onChange({ ...settings, smoothing })}
        />
      </Group>
      <Switch
        size="sm"
        label={words.log}
        checked={settings.isLog}
        onChange={(event) => onChange({ ...settings, isLog: event.currentTarget.checked })}
      />
      <SegmentedControl
        size="xs"
        aria-label={words.xAxis}
        data={[
          { value: 'step', label: words.x.step },
          { value: 'time', label: words.x.time },
        ]}
        value={settings.x}
        onChange={(x) => onChange({ ...settings, x: x as ChartSettings['x'] })}
      />
    </Group>
  );
}
