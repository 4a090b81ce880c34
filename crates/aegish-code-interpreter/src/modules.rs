//! Code of files that the session wrote and the program loads: scripts, and modules with the names that they define.

use super::Interpreter;
use crate::effect::CodeEffect;
use crate::heap::{Attributes, Binding, Cell};
use crate::ir::Name;
use crate::scope::{Scope, ScopeKind};
use crate::value::Val;
use aegish_values::Value;
use std::rc::Rc;

impl Interpreter<'_> {
    /// Follows a file of code that the session wrote; none if it did not, or if the code is not known.
    pub fn load_script(&mut self, path: &Value) -> Option<Val> {
        let path = path.as_known()?.trim_start_matches("./").to_owned();
        let ending = |ending: &&str| {
            let file = format!("{path}{ending}");
            let code = self.around.files.code(&file)?;
            Some((file, code))
        };
        let endings = self.dialect.script_endings();
        let own =
            |ending: &&str| self.written_code(|file| file.strip_suffix(ending) == Some(&path));
        let found = endings.iter().find_map(own).or_else(|| endings.iter().find_map(ending));
        let (file, code) = found?;
        let code = code.as_known()?.to_owned();
        self.follow_file(&file, |this| this.dialect.load(this, &code))
    }

    /// Follows a module that the session wrote, once, wherever it is; gives its value.
    pub fn load_module(&mut self, name: &str) -> Option<Val> {
        if let Some(put) = self.put_module(name) {
            return Some(put);
        }
        let found = |end: &String| self.around.files.ending_with(end);
        let files = self.dialect.module_files(name);
        let own = |end: &String| {
            self.written_code(|file| file.ends_with(&**end) || end.strip_prefix('/') == Some(file))
        };
        let (file, code) = files.iter().find_map(own).or_else(|| files.iter().find_map(found))?;
        if let Some(value) = self.modules.get(&file) {
            return Some(value.clone());
        }
        let code = code.as_known()?.to_owned();
        let value = self.follow_file(&file, |this| this.dialect.load_module(this, &code))?;
        self.modules.insert(file, value.clone());
        Some(value)
    }

    /// A module that the program put among those that are loaded.
    fn put_module(&self, name: &str) -> Option<Val> {
        let lists = ["sys.modules", "package.loaded"];
        lists.iter().find_map(|list| self.overridden(&format!("{list}.{name}")))
    }

    /// Code that the program itself wrote to a file before.
    fn written_code(&self, is_named: impl Fn(&str) -> bool) -> Option<(String, Value)> {
        self.effects.iter().rev().find_map(|effect| match effect {
            CodeEffect::Write { path, content, .. } if content.is_known() => {
                let path =
                    path.as_known().filter(|path| is_named(path.trim_start_matches("./")))?;
                Some((path.to_owned(), content.clone()))
            }
            _ => None,
        })
    }

    fn follow_file(&mut self, file: &str, follow: impl FnOnce(&mut Self) -> Val) -> Option<Val> {
        self.record(CodeEffect::Read(Value::known(file)));
        // A file that loads itself is there already.
        if self.loading.iter().any(|known| known == file) {
            return Some(Val::unknown());
        }
        self.loading.push(file.to_owned());
        let value = follow(self);
        self.loading.pop();
        Some(value)
    }

    /// Follows the code of a module in a scope of its own, in which these names are bound.
    pub fn module_scope(&mut self, code: &str, names: &[(&str, Val)]) -> Rc<Scope> {
        let scope = Scope::new(None, ScopeKind::Program);
        for (name, value) in names {
            self.bind_in(&scope, &(*name).into(), value.clone());
        }
        if self.evals >= crate::limits::MAX_EVALS || !self.burn(code.len() / 16) {
            self.open = true;
            return scope;
        }
        let program = self.lower(code);
        self.open |= program.cut;
        self.evals += 1;
        let outer = std::mem::replace(&mut self.scope, Rc::clone(&scope));
        self.block(&program.body);
        self.scope = outer;
        self.evals -= 1;
        scope
    }

    /// The names of a scope with their values.
    pub fn names_in(&self, scope: &Scope) -> Vec<(Name, Val)> {
        let mut names = scope.names();
        names.sort_by(|one, other| one.0.cmp(&other.0));
        let bound = |(name, place): (Name, _)| match self.heap.variable(place) {
            Binding::Bound(value) | Binding::Maybe(value) => Some((name, value)),
            Binding::Unbound => None,
        };
        names.into_iter().filter_map(bound).collect()
    }

    /// A module as an object with the names that its code defines.
    pub fn plain_module(&mut self, code: &str) -> Val {
        let scope = self.module_scope(code, &[]);
        let list = self.names_in(&scope);
        Val::Instance(self.heap.alloc(Cell::Object(Rc::new(Attributes { class: None, list }))))
    }

    /// `import a.b`: the module, or the package that holds it.
    pub(super) fn import_dotted(&mut self, module: &str, whole: bool) -> Option<Val> {
        let loaded = self.load_module(module);
        if whole {
            return loaded;
        }
        let (mut path, mut value) = (module, loaded);
        while let Some((package, name)) = path.rsplit_once('.') {
            let outer = self.load_module(package).or_else(|| {
                value.as_ref()?;
                let attributes = Attributes { class: None, list: Vec::new() };
                Some(Val::Instance(self.heap.alloc(Cell::Object(Rc::new(attributes)))))
            });
            if let (Some(outer), Some(value)) = (&outer, value) {
                self.set_attribute(outer, &name.into(), value);
            }
            (path, value) = (package, outer);
        }
        value
    }

    /// `from module import name`, where the session wrote the module, or the file of that name in its package.
    pub(super) fn imported_name(&mut self, module: &str, name: &Name) -> Option<Val> {
        let loaded = self.load_module(module);
        if let Some(Val::Instance(place)) = &loaded
            && let Some(value) = self.instance_attribute(*place, name)
        {
            return Some(value);
        }
        self.load_module(&format!("{module}.{name}")).or_else(|| {
            let loaded = loaded?;
            Some(self.attribute(&loaded, name))
        })
    }
}
