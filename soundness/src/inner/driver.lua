local events = {}
-- Runs programs given on standard input and tells which files they open and which commands they run.
local function note(kind, text) events[#events + 1] = (kind .. ' ' .. tostring(text)):gsub('\n', ' ') end
local empty = {read = function() return '' end, write = function(f) return f end, close = function() end,
  lines = function() return function() end end}
local real = {open = io.open, stdin = io.stdin, stdout = io.stdout, load = load}
os.execute = function(command) note('run', command) return true end
io.popen = function(command) note('run', command) return empty end
io.open = function(path) note('open', path) return empty end
io.lines = function(path) note('open', path) return function() end end
os.remove = function(path) note('open', path) return true end
os.rename = function(a, b) note('open', a) note('open', b) return true end
print = function() end
io.write = function() end
local names = {}
for name in pairs(_G) do names[name] = true end
while true do
  local line = real.stdin:read('l')
  if not line then break end
  local code = real.stdin:read(tonumber(line))
  events = {}
  local chunk, message = real.load(code)
  local ok = true
  if chunk then ok, message = pcall(chunk) end
  for _, event in ipairs(events) do real.stdout:write(event, '\n') end
  local failed = not chunk or not ok
  real.stdout:write('END ', failed and tostring(message):gsub('\n', ' ') or '', '\n')
  real.stdout:flush()
  for name in pairs(_G) do if not names[name] then _G[name] = nil end end
end
