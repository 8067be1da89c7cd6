import { spawn } from 'node:child_process';

/** Tells a person who looks at something else. */
export type Notify = (title: string, text: string) => void;

type Program = {
  readonly program: string;
  readonly args: (title: string, text: string) => readonly string[];
  /** Whether title and text go by the environment. */
  readonly byEnvironment?: boolean;
};

/** The text is data in all of them: no shell reads it, and no script has it in its source. */
const PROGRAMS: { readonly [platform: string]: Program } = {
  linux: {
    program: 'notify-send',
    // It takes a few tags for markup.
    args: (title, text) => ['--app-name=deloop', '--', escaped(title), escaped(text)],
  },
  darwin: {
    program: 'osascript',
    args: (title, text) => [
      ...['-e', 'on run argv'],
      ...['-e', 'display notification (item 2 of argv) with title (item 1 of argv)'],
      ...['-e', 'end run', title, text],
    ],
  },
  win32: {
    program: 'powershell.exe',
    byEnvironment: true,
    args: () => ['-NoProfile', '-NonInteractive', '-Command', TOAST],
  },
};

/** learn.microsoft.com: ToastNotificationManager; the id is that of PowerShell, for a program needs one that is installed. */
const TOAST = `
$null = [Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$content = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent('ToastText02')
$texts = $content.GetElementsByTagName('text')
$null = $texts.Item(0).AppendChild($content.CreateTextNode($env:DELOOP_TITLE))
$null = $texts.Item(1).AppendChild($content.CreateTextNode($env:DELOOP_TEXT))
$id = '{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\WindowsPowerShell\\v1.0\\powershell.exe'
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier($id).Show([Windows.UI.Notifications.ToastNotification]::new($content))
`;

/** A notification of the desktop; where there is none, `ring` rings the bell. */
export function createNotify(platform: string, ring: () => void): Notify {
  const known = PROGRAMS[platform];
  if (known === undefined) return ring;
  const { program, args, byEnvironment } = known;
  return (title, text) => {
    const more = byEnvironment === true ? { DELOOP_TITLE: title, DELOOP_TEXT: text } : {};
    const child = spawn(program, args(title, text), { stdio: 'ignore', env: { ...process.env, ...more } });
    child.on('error', ring);
    child.on('exit', (status) => {
      if (status !== 0) ring();
    });
    child.unref();
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
