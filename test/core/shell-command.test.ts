import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCommand } from '../../src/core/shell-command.ts';

const effectOf = (line: string) => readCommand(line).effect;

describe('a command that changes something', () => {
  it.each([
    // By its program.
    'rm x',
    '/bin/rm x',
    'mkdir -p a && cd a',
    'cp a b',
    'kill 12',
    'patch -p1 < a.diff',
    'ls | tee out',
    'echo x |tee -a out',
    'Remove-Item x',
    'black .',
    // By what stands behind it.
    'git commit -m "x"',
    'cd x && git commit',
    'git -C x commit',
    'git checkout main',
    'git config user.name x',
    'npm install',
    'npm ci',
    'FOO=1 npm i left-pad',
    'pip install x',
    'uv pip install x',
    'go mod tidy',
    'cargo fmt',
    'docker build .',
    'docker compose up -d',
    'kubectl apply -f x',
    'kubectl rollout restart x',
    'systemctl restart x',
    'service x restart',
    'terraform apply',
    'gh pr create --fill',
    'gh workflow run x',
    'gh run rerun 12',
    'ruff check --fix',
    'ruff format',
    'npx eslint --fix .',
    'npx -y prettier --write .',
    'make install',
    'find . -name x -delete',
    'tar --extract -f a',
    'tar xzf a',
    'tar -zxf a',
    'curl -o f http://x',
    'curl -s http://x -H "a: b" -X POST',
    'curl -XDELETE http://x',
    // On another machine.
    "ssh web1 'rm -rf x'",
    'ssh -p 22 -i key bob@web1 sudo systemctl restart nginx',
    // By an option.
    'sed -i s/a/b/ x',
    'sed -i.bak s/a/b/ x',
    'sed -ni p x',
    'sed --in-place=.bak s/a/b/ x',
    "perl -pi -e 's/a/b/' x",
    // Behind words that only say how it is run.
    'sudo rm x',
    'sudo -u bob rm x',
    'env A=1 B=2 rm x',
    'A=1 rm x',
    'timeout 60 rm x',
    'timeout 1.5m rm x',
    'timeout -k 5 60 rm x',
    'time -p rm x',
    'nice -n 10 rm x',
    'nohup rm x',
    'ls | xargs rm',
    'ls | xargs -n 1 rm',
    'uv run ruff format',
    'poetry run black .',
    'bundle exec rm x',
    'python -m pip install x',
    'python3 -m black .',
    // In the midst of a script.
    'ls; rm x',
    'ls && rm x',
    'ls || rm x',
    'ls\nrm x',
    'if true; then rm x; fi',
    'if rm x; then ls; fi',
    'for f in *; do rm $f; done',
    'f() { rm x; }',
    '(cd x; rm y)',
    'echo $(rm x)',
    'echo `rm x`',
    '! rm x',
    'find . -exec rm {} \\;',
    'find . -ok rm {} \\;',
    // In another shell.
    'bash -c "rm x"',
    'bash -lc "cd a && rm x"',
    `sh -c "bash -c 'rm x'"`,
    'docker exec web rm x',
    'docker exec -it web rm x',
    'kubectl exec pod -- rm x',
    'docker compose exec web rm x',
    // By a redirection.
    'echo a > b',
    'echo a >> b',
    'echo a>b',
    'echo a > "$F"',
    'ls 1> out',
    'ls 1>>out',
    'ls &> out',
    'cat a > b 2>&1',
    'echo a2>b',
    'cat > a.txt <<EOF\nx\nEOF',
    'cat <<EOF > a.txt\nx\nEOF',
    "cat <<'EOF' | tee a\nx\nEOF",
    'cat <<EOF\nx\nEOF\nrm y',
    'cat <<-EOF\nx\n\tEOF\nrm y',
    'cat <<< x > y',
    // By what is left running.
    'npm start &',
    'nohup npm start > /dev/null 2>&1 &',
    // By inline code that writes.
    "python - <<'EOF'\nopen('a', 'w').write('x')\nEOF",
    `python3 -c "open('a', mode='a')"`,
    `python3 -c "import shutil"`,
    `node -e "fs.writeFileSync('a', '')"`,
    `perl -e 'open(F, ">x")'`,
    `ruby -e 'File.rename("a", "b")'`,
    'psql -c "DROP TABLE x"',
    'sqlite3 db "insert into x values (1)"',
    'gh api -X POST repos/x',
    'gh api repos/x -f a=b',
    'docker compose -p web -f x.yml up',
    'rm\tx',
    '# a comment\nrm x',
    "echo 'a\\' > b",
    'cat <<< a\nrm x',
    'cat <<EOF\nEOF\nrm x',
    '((a > b)); rm x',
    'find -exec rm {} +',
    // The commands of an editor in a shell.
    'edit 3:5\nfoo\nend_of_edit',
    'create foo.py',
    'insert 3 x',
    'str_replace_editor create a',
    'str_replace_editor str_replace a',
    'apply_patch <<EOF\n*** Begin Patch\nEOF',
  ])('%j', (line) => {
    expect(effectOf(line)).toBe('change');
  });
});

describe('a command that lets time pass', () => {
  it.each([
    'sleep 5',
    'sleep 5 && curl x',
    'sleep 5; ls',
    'sleep 60 &',
    'sudo sleep 5',
    'wait',
    'watch ls',
    'Start-Sleep 5',
    'while true; do sleep 1; done',
    'until curl x; do sleep 1; done',
    'bash -c "sleep 5"',
    // It waits, whatever else it does.
    'sleep 5; rm x',
    'rm x; sleep 5',
    'gh run view 12; sleep 5',
  ])('%j', (line) => {
    expect(effectOf(line)).toBe('wait');
  });
});

describe('a command that looks how something is getting on', () => {
  it.each([
    '',
    '   ',
    '\n',
    'npx vitest --watch',
    'az deployment create --wait',
    'gh run view 12',
    'gh run watch',
    'gh pr checks',
    'gh pr status',
    'kubectl get pods',
    'kubectl logs x',
    'kubectl wait --for=x',
    'docker ps',
    'docker compose logs',
    'docker compose -f x.yml ps',
    'systemctl status x',
    'supervisorctl status',
    'tail -f x',
    'tail -n 5 -F x',
  ])('%j', (line) => {
    expect(effectOf(line)).toBe('look');
  });
});

describe('a command that does none of these', () => {
  it.each([
    'ls',
    'cat a',
    'grep -r rm .',
    'echo rm',
    'which rm',
    'command -v rm',
    'type rm',
    '# rm x',
    'ls\n# rm x\nls',
    'npm test',
    'npm run build',
    'npm ls',
    'pip list',
    'make',
    'make test',
    'pytest -x',
    'cargo test',
    'go test ./...',
    'git status',
    'git log --oneline',
    'git diff -- a b add',
    'git -C x status',
    'git log | cat',
    'cd x && git status',
    'FOO=1 npm test',
    'timeout 60 npm test',
    'time npm test',
    'uv run pytest',
    'python -m pytest',
    'gh pr view 1',
    'gh issue list',
    'docker images',
    'docker exec web ls',
    'docker exec',
    'terraform plan',
    'kubectl describe pod x',
    'ruff check .',
    'npx prettier --check .',
    'tail -n 5 x',
    'tar tf a',
    'curl http://x',
    'curl -s -X GET x',
    "sed -n '1,5p' x",
    "sed 's/a/b/' x",
    "perl -ne 'print' x",
    'find . -name x',
    'find . -exec grep a {} +',
    'export A=1',
    'A=1',
    'sudo',
    'python a.py',
    './run.sh',
    'constructor',
    '__proto__ x',
    // Quoted text is no shell.
    "echo 'a > b'",
    'echo "a > b; rm x"',
    'echo "a \\" > b"',
    'echo a \\> b',
    "awk '$1 > 5' x",
    'jq ".a > 5" x',
    "bash -c 'ls'",
    'bash -c',
    'bash x.sh',
    // Redirections that write nothing worth knowing.
    'ls 2>/dev/null',
    'ls 2> /dev/null',
    'ls > /dev/null',
    'ls >/dev/null 2>&1',
    'ls &>/dev/null',
    'ls 2>&1',
    'ls 2> err.txt',
    'echo x >&2',
    'echo x 1>&2',
    'ls 2>$null',
    'ls > $null',
    'dir > NUL',
    'sort < a',
    'cat <&3',
    'diff <(a) <(b)',
    'ls | tr a b',
    'ls |& cat',
    // Comparisons and arrows.
    '[[ 1 > 0 ]]',
    '(( a > b ))',
    'echo $((1 << 2))',
    'a => b',
    'x -> y',
    // The text of a heredoc is no shell either.
    'cat <<EOF\nx > y\nrm z\nEOF',
    "cat <<'EOF'\nrm z\nEOF\nls",
    'cat <<EOF\nrm z',
    'cat <<< "rm x"',
    "python - <<'EOF'\nprint(1)\nEOF",
    "python3 -c 'print(1 > 0)'",
    `python3 -c "print(open('a').read())"`,
    'psql -c "select 1"',
    // What stands behind a command in brackets are arguments.
    'echo $(date) create',
    'ls $(pwd)/rm',
    'echo `date` rm',
    'gh api repos/x',
    'gh api graphql -f query=x',
    'gh pr list -f x',
    '# a > b',
    'ls # > b; rm x',
    'ls >> /dev/null',
    'ls >(cat)',
    'cat <> x',
    'ls 0> x',
    'ls 9> x',
    '2>err ls',
    'grep -e write x',
    'python write.py',
    'foo -exec rm x',
    'bash rm',
    // The commands of an editor in a shell.
    'scroll_down',
    'open a.py',
    'goto 12',
    'str_replace_editor view a',
  ])('%j', (line) => {
    expect(effectOf(line)).toBe('none');
  });
});

describe('the program that does the work', () => {
  it.each([
    ['npm test', 'npm'],
    ['cd x && npm test', 'npm'],
    ['export A=1; source b; pytest', 'pytest'],
    ['FOO=1 sudo -u bob /usr/bin/make all', 'make'],
    ['timeout 60 cargo test', 'cargo'],
    ['python -m pytest', 'pytest'],
    ['cd x', ''],
    ['', ''],
    ['echo a | grep a', 'grep'],
  ])('%j: %j', (line, program) => {
    expect(readCommand(line).program).toBe(program);
  });
});

describe('what kind of command it is', () => {
  it.each([
    'npm test',
    'cd x && npm run test',
    'cargo test',
    'go vet ./...',
    'python -m pytest',
    'npx tsc --noEmit',
    'FOO=1 make',
    'ls; pytest',
  ])('%j checks something', (line) => {
    expect(readCommand(line)).toMatchObject({ checks: true, reads: false });
  });

  it.each(['cat a', 'cd x && cat a', "sed -n '1,5p' a", 'head -n 5 a', 'tail -n 5 a'])(
    '%j only shows a file',
    (line) => {
      expect(readCommand(line)).toMatchObject({ checks: false, reads: true });
    },
  );

  it.each(['ls', 'grep a b', 'npm ls', 'sed -i s/a/b/ x', 'cat a > b', 'tail -f a', 'sleep 5; cat a', ''])(
    '%j does neither',
    (line) => {
      expect(readCommand(line)).toMatchObject({ checks: false, reads: false });
    },
  );
});

describe('whatever the line', () => {
  it('shells within shells are followed three times', () => {
    const within = (depth: number): string =>
      depth === 0 ? 'rm x' : `bash -c ${JSON.stringify(within(depth - 1))}`;
    expect([1, 2, 3, 4].map((depth) => effectOf(within(depth)))).toEqual([
      'change',
      'change',
      'change',
      'none',
    ]);
  });

  it('only the first 20000 characters are read', () => {
    expect(effectOf(`${' '.repeat(19_995)} rm x`)).toBe('change');
    expect(effectOf(`${'x '.repeat(10_000)}; rm x`)).toBe('none');
  });

  it('only the first 40 words behind a program are read', () => {
    expect(effectOf(`sed ${'a '.repeat(39)}-i`)).toBe('change');
    expect(effectOf(`sed ${'a '.repeat(40)}-i`)).toBe('none');
  });

  it('never throws, and gives the same answer twice', () => {
    const unit = fc.constantFrom(
      ...'abc "\'`\\$(){}[]<>|&;#\n\t-=2',
      'rm ',
      'git ',
      'bash -c ',
      '<<EOF',
      'find -exec ',
      'docker exec ',
      'sudo ',
      'sleep ',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), (line) => {
        const { effect, ...rest } = readCommand(line);
        expect(['none', 'change', 'wait', 'look']).toContain(effect);
        expect(readCommand(line)).toEqual({ effect, ...rest });
      }),
      { numRuns: 500 },
    );
  });

  it.each(['(', '((', '<<a ', "'", '`', '>', '& ', 'bash -c ', 'sudo ', 'find -exec ', '<<a\n', '\\', '#\n'])(
    '%j many times over is read in one go',
    (part) => {
      expect(() => readCommand(part.repeat(20_000 / part.length))).not.toThrow();
    },
  );
});

describe('a command on another machine', () => {
  it.each([
    ["ssh web1 'systemctl status nginx | head -4'", 'look'],
    ["ssh -o StrictHostKeyChecking=no web1 'sleep 5; uptime'", 'wait'],
    ['ssh web1 df -h', 'none'],
    ['ssh web1', 'none'],
    ['ssh', 'none'],
  ])('%s: %s', (line, effect) => {
    expect(effectOf(line)).toBe(effect);
  });
});

describe('a command that looks for something', () => {
  it.each(['grep -rn x src', 'cd a && rg x | head', 'find . -name x'])('%s', (line) => {
    expect(readCommand(line).searches).toBe(true);
  });
  it.each(['find . -delete', 'ls', 'grep x a > b', 'cat a | grep x'])('is not %s', (line) => {
    expect(readCommand(line).searches).toBe(false);
  });
});
